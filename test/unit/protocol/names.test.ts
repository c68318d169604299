import { describe, expect, test } from "vitest";
import { interfaceNameProblem, networkNameProblem, typeProblem } from "../../../shared/protocol/names.ts";

describe("the name of a network, or the id of a container, by libcni's rule", () => {
  test.each(["a", "0", "zone", "zone-eth1", "a.b_c-d", "7fe523bb-c95c-f620-67ec-eb117ab0b85e", "x".repeat(300)])(
    "%s is right",
    (name) => expect(networkNameProblem(name)).toBeUndefined(),
  );

  test.each(["", "-a", ".a", "_a", "a/b", "a b", "a\n", "é", "a:b", "a@b", ".."])("%j is wrong", (name) => {
    expect(networkNameProblem(name)).toMatch(/^must begin with a letter or digit/);
  });
});

describe("interface name, by the rules of libcni and the kernel", () => {
  test.each(["e", "eth0", "fifteen-bytes15", "eth0.100", "eth0@if3", "...", "é", "-", "a\\b", "%d"])(
    "%s is right",
    (name) => expect(interfaceNameProblem(name)).toBeUndefined(),
  );

  test.each([
    ["", "must have 1 to 15 bytes"],
    ["sixteen-bytes-16", "must have 1 to 15 bytes"],
    [".", "must not be '.' or '..'"],
    ["..", "must not be '.' or '..'"],
    ["eth0/1", "must not contain '/', ':' or white space"],
    ["eth0:1", "must not contain '/', ':' or white space"],
    ["eth 0", "must not contain '/', ':' or white space"],
    ["eth\t0", "must not contain '/', ':' or white space"],
    ["eth0\n", "must not contain '/', ':' or white space"],
    ["eth\u00a00", "must not contain '/', ':' or white space"],
    ["eth\u00850", "must not contain '/', ':' or white space"],
    ["eth\u30000", "must not contain '/', ':' or white space"],
    // It would cut off the rest of the name.
    ["eth0\0", "must not contain '/', ':' or white space"],
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

describe("plugin type, which is looked up in CNI_PATH", () => {
  test.each(["bridge", "bridge-wrapper", "my plugin", "...", "a.b", "é"])("%s is right", (type) => {
    expect(typeProblem(type)).toBeUndefined();
  });

  test.each(["/bin/sh", "../bridge", "a/", "a\\b", "a\0b"])("%j leads out of it", (type) => {
    expect(typeProblem(type)).toBe("must not contain a path separator");
  });

  test.each(["", ".", ".."])("%j is not a file", (type) => {
    expect(typeProblem(type)).toBe("must be the name of an executable");
  });
});
