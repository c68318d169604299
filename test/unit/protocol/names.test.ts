import { describe, expect, test } from "vitest";
import { interfaceNameProblem, networkNameProblem, typeProblem } from "../../../shared/protocol/names.ts";

test("the name of a network, or the id of a container, by libcni's rule", () => {
  const right = ["a", "0", "zone-eth1", "a.b_c-d", "x".repeat(300)];
  expect(right.filter((name) => networkNameProblem(name))).toEqual([]);
  for (const name of ["", "-a", ".a", "a/b", "a b", "a\n", "é", "a:b", "a@b"])
    expect(networkNameProblem(name), name).toMatch(/^must begin with a letter or digit/);
});

describe("interface name, by the rules of libcni and the kernel", () => {
  test("is right", () => {
    const right = ["e", "fifteen-bytes15", "eth0.100", "eth0@if3", "...", "é", "-", "a\\b", "%d"];
    expect(right.filter((name) => interfaceNameProblem(name))).toEqual([]);
  });

  test.each([
    ["", "must have 1 to 15 bytes"],
    ["sixteen-bytes-16", "must have 1 to 15 bytes"],
    [".", "must not be '.' or '..'"],
    ["..", "must not be '.' or '..'"],
    // NUL would cut off the rest of the name.
    ...["/", ":", " ", "\t", "\n", "\u00a0", "\u0085", "\u3000", "\0"].map((sign) => [
      `eth${sign}0`,
      "must not contain '/', ':' or white space",
    ]),
  ])("%j %s", (name, problem) => {
    expect(interfaceNameProblem(name)).toBe(problem);
  });

  // The first and the last character of each length.
  test.each([
    ["\u007f", 1],
    ["\u0080", 2],
    ["\u07ff", 2],
    ["\u0800", 3],
    ["\uffff", 3],
    ["\u{10000}", 4],
  ])("%j has %i bytes", (character, bytes) => {
    expect(interfaceNameProblem("x".repeat(15 - bytes) + character)).toBeUndefined();
    expect(interfaceNameProblem("x".repeat(16 - bytes) + character)).toBe("must have 1 to 15 bytes");
  });
});

test("a plugin's type, which is looked up in CNI_PATH, leads not out of it, and names a file", () => {
  expect(["bridge-wrapper", "my plugin", "...", "a.b", "é"].filter((type) => typeProblem(type))).toEqual([]);
  for (const type of ["/bin/sh", "../bridge", "a/", "a\\b", "a\0b"])
    expect(typeProblem(type)).toBe("must not contain a path separator");
  for (const type of ["", ".", ".."]) expect(typeProblem(type)).toBe("must be the name of an executable");
});
