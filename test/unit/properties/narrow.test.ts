import { deepStrictEqual } from "node:assert";
import { test } from "vitest";
import { type AttachmentSelector, findAttachment } from "../../../shared/attachment/attachments.ts";
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
