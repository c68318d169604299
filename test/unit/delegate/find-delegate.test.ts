import { describe, expect, test } from "vitest";
import { cleanPath, searchPath } from "../../../shared/delegate/find-delegate.ts";
import { callWrapper, type Machine, printed } from "../support/fake-host.ts";

/** Looks for bridge on a machine with these paths. The executable is in /usr/lib/cni-wrappers. */
function looking(CNI_PATH: string, files: Record<string, "executable" | "not executable">, command = "CHECK") {
  return callWrapper(
    { env: { CNI_PATH, CNI_COMMAND: command } },
    { inspect: (path) => (Object.hasOwn(files, path) ? (files[path] ?? "missing") : "missing") },
  );
}

describe("the place of the delegate", () => {
  test.each([
    ["the only directory", "/opt/cni/bin", "/opt/cni/bin/bridge"],
    ["the first of several that have it", "/a:/opt/cni/bin:/usr/lib/cni", "/opt/cni/bin/bridge"],
    ["a trailing slash", "/opt/cni/bin/", "/opt/cni/bin/bridge"],
    ["the root", "/", "/bridge"],
    ["a relative directory", "bin", "bin/bridge"],
    ["the present directory", ".", "./bridge"],
    ["empty elements are none", "::/opt/cni/bin:", "/opt/cni/bin/bridge"],
  ])("%s: CNI_PATH=%s", (_, path, expected) => {
    const there = ["/opt/cni/bin/bridge", "/usr/lib/cni/bridge", "/bridge", "bin/bridge", "./bridge"];
    const { runs } = looking(path, Object.fromEntries(there.map((file) => [file, "executable"])));
    expect(runs.map((run) => run.path)).toEqual([expected]);
  });

  test.each(["", "/nowhere", "dummy"])("next to the executable, after CNI_PATH=%s", (path) => {
    const { runs } = looking(path, { "/usr/lib/cni-wrappers/bridge": "executable" });
    expect(runs).toMatchObject([{ path: "/usr/lib/cni-wrappers/bridge" }]);
  });
});

describe("a missing delegate", () => {
  test("is looked for once in each directory", () => {
    const { details } = printed(looking("/usr/lib/cni-wrappers", {}));
    expect(details).toMatch(/^Looked for \/usr\/lib\/cni-wrappers\/bridge \(missing\)\. /);
    expect(printed(looking("/a:/a/", {})).details).toMatch(
      /^Looked for \/a\/bridge \(missing\), \/usr\/lib\/cni-wrappers\/bridge \(missing\)\. /,
    );
  });

  test("is looked for nowhere else if the executable's own place is unknown, as without /proc", () => {
    const { details } = printed(callWrapper({ executable: "", env: { CNI_PATH: "/a" } }, { inspect: () => "missing" }));
    expect(details).toMatch(/^Looked for \/a\/bridge \(missing\)\. /);
  });

  test("is looked for only next to the executable without CNI_PATH", () => {
    const call = { env: { CNI_PATH: undefined, CNI_COMMAND: "STATUS" } };
    const { details } = printed(callWrapper(call, { inspect: () => "missing" }));
    expect(details).toMatch(/^Looked for \/usr\/lib\/cni-wrappers\/bridge \(missing\)\. /);
  });
});

describe("started by the delegate's own name", () => {
  const everywhere: Machine = { inspect: () => "executable" };
  const startedAs = (calledAs: string, CNI_PATH: string, machine = everywhere) =>
    callWrapper({ calledAs, env: { CNI_PATH, CNI_COMMAND: "CHECK" } }, machine).runs.map(({ path }) => path);

  test.each([
    ["/b/bridge", "/a:/b:/c:/d", ["/c/bridge"]],
    ["/b/bridge", "/a:/b", []],
    ["/a/bridge", "/b:/a:/b", []],
    ["/b/bridge", "/a://b:/c", ["/c/bridge"]],
    ["/b/bridge", "/a:/./b/.:/c", ["/c/bridge"]],
    ["/b/bridge", "/a:/x/../b:/c", ["/c/bridge"]],
    ["/b/bridge", "/b:/b/:/./b", []],
    ["/bridge", "/a:/:/c", ["/c/bridge"]],
    ["/elsewhere/bridge", "/a:/b", ["/a/bridge"]],
  ])("%s, CNI_PATH=%s: only later directories", (calledAs, path, expected) => {
    expect(startedAs(calledAs, path)).toEqual(expected);
  });

  describe("a symbolic link to its directory counts as the directory", () => {
    const directories = { "/a": 10, "/b": 11, "/link": 11, "/c": 12 };
    const machine: Machine = { ...everywhere, directories };

    test.each([
      ["/b/bridge", "/a:/link:/c", ["/c/bridge"]],
      ["/link/bridge", "/a:/b:/c", ["/c/bridge"]],
      ["/a/bridge", "/a:/b:/link", ["/b/bridge"]],
      // The other one is a wrapper of another version. It would call this one again.
      ["/c/bridge", "/b:/c:/link", []],
    ])("%s, CNI_PATH=%s", (calledAs, path, expected) => {
      expect(startedAs(calledAs, path, machine)).toEqual(expected);
    });
  });

  test("directories of an overlay whose inodes are too large for a number are several", () => {
    const directories = { "/a": 2 ** 63 + 1, "/b": 2 ** 63 + 2 };
    expect(startedAs("/a/bridge", "/a:/b", { ...everywhere, directories })).toEqual(["/b/bridge"]);
  });

  test.each([
    ["/b/bridge", "/a:/b", "CNI_PATH has no directory after /b."],
    ["bridge", "", "CNI_PATH has no directory."],
    ["/b/bridge", "/b:/c", "Looked for /c/bridge (missing)."],
  ])("%s, CNI_PATH=%s, no plugin anywhere: %s", (calledAs, CNI_PATH, words) => {
    const outcome = callWrapper({ calledAs, env: { CNI_PATH } }, { inspect: () => "missing" });
    expect(printed(outcome)).toMatchObject({ code: 100, details: expect.stringContaining(words) });
  });
});

describe("the wrapper named as its own delegate", () => {
  const itself: Machine = {
    inspect: (path) => (/^\/opt\/cni\/bin\/(.*-wrapper|cni-wrappers)$/.test(path) ? "the wrapper itself" : "missing"),
  };
  const naming = (delegate: string, calledAs: string, CNI_PATH: string, command = "ADD") =>
    printed(
      callWrapper(
        { calledAs, env: { CNI_PATH, CNI_COMMAND: command }, stdin: { name: "zone", wrapper: { delegate } } },
        itself,
      ),
    );

  test.each([
    ["bridge-wrapper", "/opt/cni/bin/bridge-wrapper", "/opt/cni/bin", 'write "bridge" as'],
    ["bridge-wrapper", "/a/bridge", "/a:/opt/cni/bin", 'write "bridge" as'],
    ["macvlan-wrapper", "/opt/cni/bin/bridge-wrapper", "/opt/cni/bin", 'write "macvlan" as'],
    ["cni-wrappers", "/opt/cni/bin/bridge-wrapper", "/opt/cni/bin", 'write "bridge" as'],
    ["cni-wrappers", "/opt/cni/bin/cni-wrappers", "/opt/cni/bin", "write the plugin's own type as"],
  ])("%s, started as %s, CNI_PATH=%s: %s", (delegate, calledAs, path, words) => {
    const details = expect.stringMatching(
      new RegExp(`^${delegate} is the wrapper itself, not a plugin: ${words} "delegate" under "wrapper"\\. Install`),
    );
    expect(naming(delegate, calledAs, path)).toMatchObject({ code: 100, details });
    expect(naming(delegate, calledAs, path, "STATUS")).toMatchObject({ code: 50, details });
  });

  test.each([
    ["other-wrapper", "/opt/cni/bin/bridge-wrapper", "/a"],
    ["bridge", "/a/bridge", "/a:/b"],
  ])("%s, started as %s, CNI_PATH=%s, is not", (delegate, calledAs, path) => {
    expect(naming(delegate, calledAs, path).details).toMatch(/^Looked for /);
  });
});

/** The cases of Go's own test of filepath.Clean (path/filepath/path_test.go). */
test.each([
  ["abc", "abc"],
  ["abc/def", "abc/def"],
  [".", "."],
  ["..", ".."],
  ["../..", "../.."],
  ["/abc", "/abc"],
  ["/", "/"],
  ["", "."],
  ["//abc//", "/abc"],
  ["/./abc/def", "/abc/def"],
  ["abc/def/../ghi/../jkl", "abc/jkl"],
  ["abc/def/../..", "."],
  ["/abc/def/../../..", "/"],
  ["abc/def/../../../ghi/jkl/../../../mno", "../../mno"],
  ["/../abc", "/abc"],
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
