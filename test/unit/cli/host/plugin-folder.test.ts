import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareVersions, versionIn } from "../../../../cli/host/plugin-folder.ts";
import { readPluginFolder, whyNoCheck } from "../../../../cli/host/read-plugin-folder.ts";
import { scratch } from "../../../support/scratch.ts";
import { makeHostFolders, type TinyPlugin } from "../../support/fake-host-folders.ts";

const directory = scratch();

function folderOf(cniPath: Record<string, Record<string, TinyPlugin> | null>) {
  return readPluginFolder(makeHostFolders(directory, { cniPath }).cniPath ?? "", directory);
}

function callsOf(file: string): string[] {
  const path = join(directory, `${file}.calls`);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

const wrapper: TinyPlugin = { version: "v0.1.0", wrapper: "node" };

test("the first file of the name counts, executable or not", () => {
  const folder = folderOf({ first: { bridge: { mode: "644" } }, second: { bridge: {}, macvlan: {} } });
  expect(folder.find("bridge")).toMatchObject({ path: "first/bridge", isExecutable: false, version: undefined });
  expect(folder.find("bridge")).toMatchObject({ speaks: undefined, crash: undefined, hasJq: false, isWrapper: false });
  const found = { path: "second/macvlan", isExecutable: true, version: "v1.9.1", silence: undefined };
  expect(folder.find("macvlan")).toMatchObject(found);
  expect(folder.find("ptp")).toBeUndefined();
});

test("a file that the kernel does not start is never handed to a shell", () => {
  const text = `echo >${join(directory, "ran")}; echo 'CNI bridge plugin v1.9.1'`;
  const folder = folderOf({ bin: { bridge: { text }, macvlan: { text: "" }, ptp: { text: "#!/nowhere/sh\n" } } });
  const found = ["bridge", "macvlan", "ptp"].map((name) => folder.find(name));
  for (const one of found)
    expect(one).toMatchObject({ isExecutable: true, isProgram: false, isWrapper: false, hasJq: false });
  expect(found.map((one) => [one?.version, one?.speaks])).toEqual(found.map(() => [undefined, undefined]));
  expect(existsSync(join(directory, "ran"))).toBe(false);
});

test("a plugin is asked for its versions as libcni does, with the variables that it needs", () => {
  const recorded = join(directory, "recorded");
  const answer = '{"supportedVersions":["1.0.0",7]}';
  const text = `#!/bin/sh\necho "$CNI_COMMAND $CNI_NETNS $CNI_IFNAME $CNI_PATH $PATH $(cat)" >${recorded}; echo '${answer}'\n`;
  expect(folderOf({ bin: { bridge: { text } } }).find("bridge")?.speaks).toEqual(["1.0.0"]);
  const expected = `VERSION dummy dummy dummy ${process.env.PATH} {"cniVersion":"1.1.0"}\n`;
  expect(readFileSync(recorded, "utf8")).toBe(expected);
});

test("an executable of the wrappers' name is one, also if it does not answer", () => {
  const folder = folderOf({ bin: { "cni-wrappers": { text: "#!/bin/sh\nexit 1\n" }, a: { link: "cni-wrappers" } } });
  expect(folder.find("a")).toMatchObject({ isWrapper: true, version: undefined });
});

test("a path is no plugin's name: nothing outside the directories runs", () => {
  const folder = folderOf({ bin: { "bridge-wrapper": wrapper }, other: { evil: {} } });
  const found = folder.find("bridge-wrapper");
  const only = readPluginFolder("bin", directory);
  expect(only.find("../other/evil")).toBeUndefined();
  expect(only.findForNomad("../other/evil")).toBeUndefined();
  expect(found && only.findDelegate("../other/evil", found)).toBeUndefined();
  expect(callsOf("other/evil")).toEqual([]);
});

test("directories without files have a problem", () => {
  const { directories } = folderOf({ bin: { bridge: {} }, empty: {}, none: null });
  expect(directories).toEqual([
    { path: "bin", problem: undefined },
    { path: "empty", problem: "is empty" },
    { path: "none", problem: "does not exist" },
  ]);
  const problem = "cannot be read (ENOTDIR)";
  expect(readPluginFolder("bin/bridge", directory).directories).toEqual([{ path: "bin/bridge", problem }]);
  expect(whyNoCheck(readPluginFolder("empty:none", directory))?.reason).toMatch(/there is no bridge in empty, none$/);
  expect(whyNoCheck(readPluginFolder("", directory))?.reason).toMatch(/there is no bridge in no directory$/);
  // A path that is put right is not enough.
  expect(whyNoCheck(readPluginFolder("empty:none", directory), "1.9.5")?.reason).toMatch(/there is no bridge in empty/);
});

test.each([
  ["1.11.1", "empty is empty, and Nomad before 1.11.2 looks no further"],
  ["1.11.2", undefined],
  [undefined, undefined],
])("bridge is in a directory after an empty one, and Nomad is %s", (nomad, reason) => {
  const folder = folderOf({ empty: {}, bin: { bridge: {} } });
  const none = reason && {
    reason: `Nomad finds no version of bridge: ${reason}`,
    cure: "fix cni_path and restart the client",
  };
  expect(whyNoCheck(folder, nomad)).toEqual(none);
});

test("each answer is asked for once, and nothing is run before it is needed", () => {
  const folder = folderOf({ bin: { bridge: { speaks: ["0.4.0", "1.0.0"] } } });
  folder.find("bridge");
  expect(callsOf("bin/bridge")).toEqual([]);
  for (let round = 0; round < 3; round++) {
    expect(folder.find("bridge")).toMatchObject({ version: "v1.9.1", isWrapper: false, speaks: ["0.4.0", "1.0.0"] });
    expect(folder.findForNomad("bridge")?.version).toBe("v1.9.1");
  }
  expect(callsOf("bin/bridge").sort()).toEqual(["", "VERSION"]);
});

test("an executable with several names is run once", () => {
  const folder = folderOf({
    bin: { "cni-wrappers": wrapper, "a-wrapper": { link: "cni-wrappers" }, b: { link: "a-wrapper" } },
  });
  for (const name of ["a-wrapper", "b", "cni-wrappers"]) {
    expect(folder.find(name)).toMatchObject({ isWrapper: true, version: "v0.1.0", hasJq: true });
  }
  expect(callsOf("bin/cni-wrappers").sort()).toEqual(["", "--version"]);
});

describe("wrappers", () => {
  test("a copy under another name is one, and the slim flavor has no jq", () => {
    const folder = folderOf({ bin: { bridge: { ...wrapper, wrapper: "slim" } } });
    expect(folder.find("bridge")).toMatchObject({ isWrapper: true, hasJq: false });
  });

  test("the delegate is the next plain one in the path, then the one next to the executable", () => {
    const folder = folderOf({
      first: { bridge: { link: "../own/cni-wrappers" }, macvlan: { link: "../own/cni-wrappers" } },
      bin: { bridge: { mode: "644" } },
      last: { bridge: {} },
      own: { "cni-wrappers": wrapper, macvlan: {} },
    });
    const found = folder.find("bridge");
    expect(found?.isWrapper).toBe(true);
    expect(found && folder.findDelegate("bridge", found)?.path).toBe("last/bridge");
    expect(found && folder.findDelegate("macvlan", found)?.path).toBe("own/macvlan");
    expect(found && folder.findDelegate("ptp", found)).toBeUndefined();
  });

  test("the directory of the executable need not be in the path", () => {
    makeHostFolders(directory, { cniPath: { own: { "cni-wrappers": wrapper, macvlan: {} } } });
    const folder = folderOf({ bin: { "macvlan-wrapper": { link: "../own/cni-wrappers" } } });
    const found = folder.find("macvlan-wrapper");
    expect(found && folder.findDelegate("macvlan", found)?.isExecutable).toBe(true);
  });
});

test("for Nomad, a later version takes the place of an earlier one", () => {
  const folder = folderOf({
    a: { bridge: { version: "1.3.0" } },
    b: { bridge: { version: "1.2.0" } },
    c: { bridge: { version: "" } },
  });
  expect(folder.findForNomad("bridge")?.version).toBe("1.2.0");
});

// What Nomad 1.11.0 makes of these outputs was seen in its fingerprint.
test.each([
  ["CNI bridge plugin v1.9.1\nCNI protocol versions supported: 0.1.0", "v1.9.1"],
  ["bridge (1.9.1) 1.2.3, v1.9", "v1.9"],
  ["supported: 0.4.0", "0.4.0"],
  ["v1.2.0-rc1+abc", "v1.2.0-rc1+abc"],
  ["a1.2.3 1.2.3b", undefined],
  ["no version", undefined],
  ["", undefined],
])("the version in %j is %s", (output, version) => {
  expect(versionIn(output)).toBe(version);
});

test.each([
  ["1.3.0", "v1.3", 0],
  ["1.3", "1.3.1", -1],
  ["1.3.2", "1.3.1+v2", 1],
  ["1.3.0-rc9", "1.3.0", 0],
  ["1.2.9", "1.3.0", -1],
  ["1.10.0", "1.9.9", 1],
  ["v2", "1.99.99", 1],
])("%s compared with %s", (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
});
