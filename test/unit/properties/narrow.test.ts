import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import { type AttachmentSelector, findAttachment, ownAttachment } from "../../../shared/attachment/attachments.ts";
import { narrowPrevResult } from "../../../shared/attachment/narrow.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import fc from "../support/fast-check.ts";
import { made, netns, resultOf, type Scene, scenes } from "./scene.ts";

/** The attachments that this call can be about: those in its namespace. */
function ownAttachments(scene: Scene): number[] {
  return [...scene.attachments.keys()].filter((number) => made(scene, number).container.sandbox === netns);
}

function narrowed(scene: Scene, number: number): CniResult {
  const result = resultOf(scene);
  const name: AttachmentSelector = {
    ifName: made(scene, number).container.name,
    netns,
    runtimeIfName: made(scene, scene.runtime).container.name,
  };
  const attachment = findAttachment(result, name.ifName, netns);
  if (attachment === undefined) throw new Error(`${name.ifName} was not found`);
  return narrowPrevResult(result, attachment, name);
}

test("a narrowed result is the result of the attachment alone, except for the DNS, which stays whole", () => {
  fc.assert(
    fc.property(scenes(), (scene) => {
      for (const number of ownAttachments(scene)) {
        // The expected result has one attachment alone, without indexes, addresses and routes of the others.
        deepStrictEqual(narrowed(scene, number), resultOf(scene, [number]));
      }
    }),
  );
});

test("an unlisted interface with addresses takes nothing from the others and gives them nothing", () => {
  const own = fc.record({ hostSide: fc.integer({ min: 0, max: 3 }), indexed: fc.boolean() });
  fc.assert(
    fc.property(scenes({ severalSandboxes: false, unindexed: false }), own, (scene, { hostSide, indexed }) => {
      const rest = resultOf(scene);
      const names = Array.from({ length: indexed ? hostSide : 0 }, (_, index) => `cali${index}`);
      const address = { address: "198.51.100.9/24", ...(names.length > 0 && { interface: names.length - 1 }) };
      const result: CniResult = {
        ...rest,
        interfaces: [...names.map((name) => ({ name })), ...(rest.interfaces ?? [])],
        ips: [address, ...(rest.ips ?? []).map((ip) => ({ ...ip, interface: Number(ip.interface) + names.length }))],
      };
      const shown = (ifName: string): CniResult | undefined => {
        const name = { ifName, netns, runtimeIfName: "unlisted" };
        const attachment = ownAttachment(result, name);
        return attachment && narrowPrevResult(result, attachment, name);
      };
      expect(shown("unlisted")).toMatchObject({ interfaces: names.map((name) => ({ name })), ips: [address] });
      for (const number of ownAttachments(scene)) {
        const { container } = made(scene, number);
        deepStrictEqual(shown(container.name), resultOf(scene, [number]));
      }
    }),
  );
});
