import { expect, test } from "vitest";
import { cleanPath, searchPath } from "../../../shared/delegate/find-delegate.ts";

/** The cases of Go's own test of filepath.Clean (path/filepath/path_test.go). */
test.each([
  ["abc", "abc"],
  ["abc/def", "abc/def"],
  ["a/b/c", "a/b/c"],
  [".", "."],
  ["..", ".."],
  ["../..", "../.."],
  ["../../abc", "../../abc"],
  ["/abc", "/abc"],
  ["/", "/"],
  ["", "."],
  ["abc/", "abc"],
  ["abc/def/", "abc/def"],
  ["./", "."],
  ["../", ".."],
  ["../../", "../.."],
  ["/abc/", "/abc"],
  ["abc//def//ghi", "abc/def/ghi"],
  ["abc//", "abc"],
  ["//abc", "/abc"],
  ["///abc", "/abc"],
  ["//abc//", "/abc"],
  ["abc/./def", "abc/def"],
  ["/./abc/def", "/abc/def"],
  ["abc/.", "abc"],
  ["abc/def/ghi/../jkl", "abc/def/jkl"],
  ["abc/def/../ghi/../jkl", "abc/jkl"],
  ["abc/def/..", "abc"],
  ["abc/def/../..", "."],
  ["/abc/def/../..", "/"],
  ["abc/def/../../..", ".."],
  ["/abc/def/../../..", "/"],
  ["abc/def/../../../ghi/jkl/../../../mno", "../../mno"],
  ["/../abc", "/abc"],
  ["abc/./../def", "def"],
  ["abc//./../def", "def"],
  ["abc/../../././../def", "../../def"],
  ["...", "..."],
  ["/opt/..cni", "/opt/..cni"],
])("%j is cleaned to %j", (path, cleaned) => {
  expect(cleanPath(path)).toBe(cleaned);
});

test("CNI_PATH may be very long", () => {
  const slashes = `/a${"/".repeat(130_000)}b`;
  const many = Array.from({ length: 40_000 }, (_, index) => `/${index}`);
  expect(searchPath(slashes)).toEqual(["/a/b"]);
  expect(searchPath(many.join(":"))).toEqual(many);
});
