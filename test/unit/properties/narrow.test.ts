import fc from "fast-check";
import { expect, test } from "vitest";
import { type AttachmentName, findAttachment } from "../../../shared/plan/attachments.ts";
import { narrowResult } from "../../../shared/plan/narrow.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { interfacesOf, made, netns, resultOf, type Scene, scenes } from "./scene.ts";

/** The attachments that a wrapper of this call can be for: those of its namespace. */
function ownAttachments(scene: Scene): number[] {
  return [...scene.attachments.keys()].filter((number) => made(scene, number).container.sandbox === netns);
}

function narrowed(scene: Scene, number: number): CniResult {
  const result = resultOf(scene);
  const name: AttachmentName = {
    ifName: made(scene, number).container.name,
    netns,
    runtimeIfName: made(scene, scene.runtime).container.name,
  };
  const attachment = findAttachment(result, name.ifName, netns);
  if (attachment === undefined) throw new Error(`${name.ifName} was not found`);
  return narrowResult(result, attachment, name);
}

test("a narrowed result is the one that the attachment alone has, but for the DNS, which stays whole", () => {
  fc.assert(
    fc.property(scenes(), (scene) => {
      for (const number of ownAttachments(scene)) {
        // That of an attachment alone is built without any other: no index, no address, no route of theirs is in it.
        expect(narrowed(scene, number)).toStrictEqual(resultOf(scene, [number]));
      }
    }),
  );
});

test("its interfaces are the attachment's, in their order", () => {
  fc.assert(
    fc.property(scenes(), (scene) => {
      for (const number of ownAttachments(scene)) {
        expect(narrowed(scene, number).interfaces).toStrictEqual(interfacesOf(made(scene, number)));
      }
    }),
  );
});

test("every address is some attachment's, and no other's", () => {
  fc.assert(
    fc.property(scenes({ severalSandboxes: false }), (scene) => {
      const all = ownAttachments(scene).flatMap((number) => narrowed(scene, number).ips ?? []);
      const addresses = (list: readonly { address: string }[]) => list.map(({ address }) => address).sort();
      expect(addresses(all)).toEqual(addresses(resultOf(scene).ips ?? []));
    }),
  );
});
