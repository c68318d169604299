import { describe, expect, test } from "vitest";
import type { RecoveryMode } from "../../../shared/record/record.ts";
import {
  asksAgain,
  type Found,
  isCompleted,
  isSameOrigin,
  type Present,
  recovery,
  writesBefore,
} from "../../../shared/record/recovery.ts";
import { recordOf } from "../support/records.ts";

const here = { bootId: recordOf().bootId, namespace: recordOf().namespace };
/** No interface of that name, before ADD or after it. */
const nothing: Present = { ...here, before: 0, link: 0, claimed: false };
const seen = (before: number | undefined, link: number | undefined, claimed = false): Present => ({
  ...here,
  ...{ before, link, claimed },
});
const uncompleted = (changes: object = {}): Found => ({ record: recordOf(changes), completed: false });
const earlierBoot = uncompleted({ bootId: "before" });
const elsewhere = uncompleted({ namespace: "4:1" });
const killed = (changes: object = {}): Found => uncompleted({ made: undefined, ...changes });
const none: Found = { completed: false };
const live: Found = { record: recordOf(), completed: true };

describe("before ADD", () => {
  test.each<[string, Found, RecoveryMode, string]>([
    ["a record of an earlier boot", earlierBoot, "own", "clean up, then add"],
    ["a record of an earlier boot", { ...earlierBoot, completed: true }, "own", "clean up, then add"],
    ["a record of an earlier boot", earlierBoot, "always", "clean up, then add"],
    ["a record of an earlier boot", earlierBoot, "never", "add"],
    ["a record of this boot", uncompleted(), "own", "add"],
    ["a record of this boot", live, "always", "add"],
    ["no record", none, "always", "add"],
  ])("%s (%#, %o, %s): %s", (_, found, mode, step) => {
    expect(recovery(found, nothing, false, mode)).toBe(step);
  });
});

describe("after a failed ADD", () => {
  // The rows of the tables in docs/behavior.md: the record, the namespace, wrapper.recover, and the next step.
  test.each<[string, Found, Present, RecoveryMode, "add again" | "fail"]>([
    ["nothing is in the way but leases", uncompleted(), nothing, "own", "add again"],
    ["the interface that ADD made before", uncompleted({ made: 7 }), seen(7, 7), "own", "add again"],
    ["an interface that this ADD made", uncompleted({ made: 0 }), seen(0, 9), "own", "add again"],
    ["this ADD replaced it", uncompleted({ made: 7 }), seen(7, 9), "own", "add again"],

    ["an interface that ADD did not make", uncompleted({ made: 7 }), seen(8, 8), "own", "fail"],
    ["an interface, and ADD had made none", uncompleted({ made: 0 }), seen(8, 8), "own", "fail"],
    ["an interface, with any `recover`", uncompleted({ made: 0 }), seen(8, 8), "always", "fail"],
    ["an interface of another namespace", uncompleted({ made: 8, namespace: "4:1" }), seen(8, 8), "always", "fail"],

    ["the wrapper was killed: it was not there before", killed({ before: 0 }), seen(7, 7), "own", "add again"],
    ["the wrapper was killed: it was there before", killed({ before: 7 }), seen(7, 7), "own", "fail"],
    ["the wrapper was killed: another one is there", killed({ before: 6 }), seen(7, 7), "own", "add again"],
    ["the wrapper was killed: another attachment has it", killed({ before: 0 }), seen(7, 7, true), "own", "fail"],
    ["the wrapper was killed, and could not look before", killed({ before: undefined }), seen(7, 7), "own", "fail"],
    ["the index, but another attachment has it", uncompleted({ made: 7 }), seen(7, 7, true), "own", "fail"],
    ["this ADD made it, whoever claims the name", uncompleted({ made: 0 }), seen(0, 9, true), "own", "add again"],

    ["the wrapper can no longer look", uncompleted(), seen(0, undefined), "own", "fail"],
    ["the wrapper could not look before", uncompleted(), seen(undefined, 0), "own", "fail"],

    ["a record of another namespace", elsewhere, nothing, "own", "fail"],
    ["a record of another namespace", elsewhere, nothing, "always", "add again"],
    ["a record of another namespace", elsewhere, nothing, "never", "fail"],
    ["it was completed", live, nothing, "own", "fail"],
    ["it was completed", live, nothing, "always", "add again"],
    ["recovery is off", uncompleted(), nothing, "never", "fail"],
    ["no record", none, nothing, "own", "fail"],
    ["no record", none, nothing, "always", "fail"],
    ["a record of an earlier boot", earlierBoot, nothing, "always", "fail"],
  ])("%s (%#, %o, %o, %s): %s", (_, found, present, mode, step) => {
    expect(recovery(found, present, true, mode)).toBe(step);
  });
});

test.each<[string, Found, RecoveryMode, boolean]>([
  ["of this try", uncompleted(), "own", true],
  ["of this try", uncompleted(), "never", false],
  ["of a live attachment", live, "own", false],
  ["of a live attachment", live, "always", true],
  ["of another namespace", elsewhere, "own", false],
  ["of another namespace", elsewhere, "always", true],
  ["of another boot", earlierBoot, "own", false],
  ["of none", none, "always", false],
])("ADD asks for the addresses of a record: %s (%o, %s): %s", (_, found, mode, asks) => {
  expect(asksAgain(found, here, mode)).toBe(asks);
});

test("a record is written before ADD if there is none and libcni knows nothing", () => {
  expect(writesBefore(none, false)).toBe(true);
  expect(writesBefore(none, true)).toBe(false);
  expect(writesBefore(uncompleted(), false)).toBe(false);
});

const minute = 60_000;

test.each([
  ["libcni has no result", 1000, undefined, 1000, false],
  ["its result is older than the record", 1000, 999, 1000, false],
  ["its result is as old", 1000, 1000, 1000, true],
  ["its result is newer", 1000, 1001, 1001, true],
  ["its result is of the future: the clock was set back", 1000, 1001, 1000, false],
  ["the record is a quarter of an hour old", 1000, undefined, 1000 + 15 * minute, false],
  ["the record is older", 1000, undefined, 1001 + 15 * minute, true],
  ["the clock was set back", 1001 + 15 * minute, undefined, 1000, true],
])("whether an attachment is complete: %s", (_, recordedMs, cachedMs, nowMs, complete) => {
  expect(isCompleted(recordedMs, cachedMs, nowMs)).toBe(complete);
});

test("whether a record belongs to this boot and this namespace", () => {
  expect(isSameOrigin(recordOf(), here)).toBe(true);
  expect(isSameOrigin(recordOf({ bootId: "before" }), here)).toBe(false);
  expect(isSameOrigin(recordOf({ namespace: "4:1" }), here)).toBe(false);
});
