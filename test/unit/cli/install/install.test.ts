import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { Memory } from "../../../../cli/host/memory.ts";
import { install, installPrevious, ownRelease, removeAll } from "../../../../cli/install/install.ts";
import { hasPlugins, placeAt } from "../../../../cli/install/place.ts";
import { hasJq, isWrapped, usesAmong } from "../../../../cli/install/uses.ts";
import { type List, listFrom } from "../../../../cli/lists/list.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { type Entry, nowhere } from "../../../../shared/journal/journal.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { intercept, noteSyncs } from "../../support/file-functions.ts";
import { entryOf, journalFiles } from "../../support/journals.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile, writeList } from "../../support/written.ts";

const directory = scratch();

const at = (name: string) => join(directory, name);
const place = () => placeAt(directory, "/");
const names = () => readdirSync(directory).sort();
const hidden = () => readdirSync(at(".cni-wrappers"));

/** A program that answers as a wrapper of a version does. */
function program(version: string, flavor: "node" | "slim" = "slim"): Buffer {
  const exit = flavor === "node" ? 0 : 2;
  return Buffer.from(
    `#!/bin/sh\n[ $# = 0 ] || exit ${exit}\necho "CNI cni-wrappers plugin v${version}"\necho "Built from commit c${version}"\n`,
  );
}

const sumOf = (name: string) => execFileSync("sha256sum", [at(name)], { encoding: "utf8" }).slice(0, 64);

const installed = (version: string, plugins = "bridge,macvlan") =>
  install(place(), { bytes: program(version), links: undefined }, plugins);

test("a first installation", () => {
  expect(installed("1.0.0")).toMatchObject({
    is: "installed",
    release: { version: "1.0.0", commit: "c1.0.0", flavor: "slim" },
    sha256: sumOf("cni-wrappers"),
    replaced: undefined,
    links: ["bridge-wrapper", "macvlan-wrapper"],
    newLinks: ["bridge-wrapper", "macvlan-wrapper"],
  });
  expect(names()).toEqual([".cni-wrappers", "bridge-wrapper", "cni-wrappers", "macvlan-wrapper"]);
  expect(hidden()).toEqual(["checksums"]);
  expect(readlinkSync(at("bridge-wrapper"))).toBe("cni-wrappers");
  expect(statSync(at("cni-wrappers")).mode & 0o7777).toBe(0o755);
});

test.each(["000", "077"])("with a umask of %s only the owner can write, and everybody can run the wrappers", (mask) => {
  const umask = process.umask(mask);
  try {
    installed("1.0.0");
    installed("2.0.0");
  } finally {
    process.umask(umask);
  }
  const paths = [".cni-wrappers", ".cni-wrappers/checksums", ".cni-wrappers/previous", "cni-wrappers"];
  expect(paths.map((path) => statSync(at(path)).mode & 0o022)).toEqual([0, 0, 0, 0]);
  expect(statSync(at("cni-wrappers")).mode & 0o111).toBe(0o111);
});

test("an old archive with a newer name changes nothing", () => {
  installed("1.0.0");
  const renamed = { bytes: program("0.9.0"), links: undefined, version: "2.0.0" };
  expect(() => install(place(), renamed, "all")).toThrow("the archive's name says 2.0.0, but its executable is 0.9.0");
  expect(readFileSync(at("cni-wrappers"))).toEqual(program("1.0.0"));
  expect(names()).toEqual([".cni-wrappers", "bridge-wrapper", "cni-wrappers", "macvlan-wrapper"]);
  expect(readFileSync(at(".cni-wrappers/checksums"), "utf8")).toBe(`${sumOf("cni-wrappers")}  1.0.0\n`);
  expect(() => install(place(), { ...renamed, bytes: program("1.0.0") }, "all")).toThrow("its executable is 1.0.0");
  expect(install(place(), { ...renamed, bytes: program("2.0.0") }, "all").is).toBe("replaced");
});

test("the same bytes change nothing, and a link that is missing or leads to a whole path is made anew", () => {
  installed("1.0.0");
  const before = statSync(at("cni-wrappers")).ino;
  expect(installed("1.0.0")).toMatchObject({ is: "already installed", newLinks: [] });
  rmSync(at("macvlan-wrapper"));
  expect(installed("1.0.0")).toMatchObject({ is: "already installed", newLinks: ["macvlan-wrapper"] });
  rmSync(at("bridge-wrapper"));
  symlinkSync(at("cni-wrappers"), at("bridge-wrapper"));
  expect(installed("1.0.0")).toMatchObject({ is: "already installed", newLinks: ["bridge-wrapper"] });
  expect(readlinkSync(at("bridge-wrapper"))).toBe("cni-wrappers");
  expect(statSync(at("cni-wrappers")).ino).toBe(before);
  expect(hidden()).toEqual(["checksums"]);
});

test("the same bytes that were copied by hand are noted, so that they can be rolled back to", () => {
  writeFileSync(at("cni-wrappers"), program("1.0.0"), { mode: 0o755 });
  expect(installed("1.0.0").is).toBe("already installed");
  expect(readFileSync(at(".cni-wrappers/checksums"), "utf8")).toBe(`${sumOf("cni-wrappers")}  1.0.0\n`);
});

test("an upgrade keeps the old one, and a rollback exchanges them", () => {
  installed("1.0.0");
  expect(installed("2.0.0")).toMatchObject({ is: "replaced", replaced: { version: "1.0.0" } });
  expect(hidden()).toEqual(["checksums", "previous"]);
  const sha256 = sumOf(".cni-wrappers/previous");
  expect(installPrevious(place())).toMatchObject({ is: "rolled back", release: { version: "1.0.0" }, sha256 });
  expect(readFileSync(at("cni-wrappers"))).toEqual(program("1.0.0"));
  expect(readFileSync(at(".cni-wrappers/previous"))).toEqual(program("2.0.0"));
  expect(installPrevious(place())).toMatchObject({ release: { version: "2.0.0" }, replaced: { version: "1.0.0" } });
});

test("a copy by hand that install replaced comes back, and install knows it then: the way forward is open, too", () => {
  writeFileSync(at("cni-wrappers"), program("1.0.0"), { mode: 0o755 });
  installed("2.0.0");
  expect(installPrevious(place()).release.version).toBe("1.0.0");
  expect(installPrevious(place()).release.version).toBe("2.0.0");
});

test("a file in place of the directory for what is not in use is trouble", () => {
  writeFileSync(at(".cni-wrappers"), "");
  expect(() => installed("1.0.0")).toThrow(
    `${at(".cni-wrappers")}: it is a link that leads elsewhere, or a file; move it away`,
  );
  expect(names()).toEqual([".cni-wrappers"]);
});

test("the checksums of what was written are those that sha256sum prints", () => {
  installed("1.0.0");
  installed("2.0.0");
  installPrevious(place());
  const [first, second] = [sumOf("cni-wrappers"), sumOf(".cni-wrappers/previous")];
  expect(readFileSync(at(".cni-wrappers/checksums"), "utf8")).toBe(`${first}  1.0.0\n${second}  2.0.0\n`);
});

test.each([
  ["a directory", () => mkdirSync(at(".cni-wrappers/previous"))],
  ["a link", () => symlinkSync("/bin/true", at(".cni-wrappers/previous"))],
])("%s in place of the kept version: nothing changes", (_, make) => {
  installed("1.0.0");
  make();
  const message = "/.cni-wrappers/previous: it is no file that install kept; move it away";
  expect(() => installed("2.0.0")).toThrow(message);
  expect(() => installPrevious(place())).toThrow(message);
  expect(readFileSync(at("cni-wrappers"))).toEqual(program("1.0.0"));
});

function copyAfterUpgrade(): void {
  installed("2.0.0");
  copy(program("3.0.0"));
}

function upgradeByLink(): void {
  installed("2.0.0");
  rmSync(at("cni-wrappers"));
  symlinkSync("/x/cni-wrappers", at("cni-wrappers"));
}
const noPrevious =
  "no previous version is kept there, as after a first install; cni-wrappers install --from FILE installs another, and cni-wrappers uninstall removes this one";
const breakPrevious = () => writeFileSync(at(".cni-wrappers/previous"), "#!/bin/sh\n", { mode: 0o755 });

test.each<[string, () => void, string]>([
  ["a first install", () => {}, noPrevious],
  ["a copy by hand", copyAfterUpgrade, "/cni-wrappers: install did not write it"],
  ["a copy by hand, without a kept version", () => copy(program("3.0.0")), noPrevious],
  ["a broken one, without a kept version", () => copy(Buffer.of()), "the kernel does not start it: it is empty"],
  ["a link", upgradeByLink, "it is a link to /x/cni-wrappers"],
  ["one to what is broken", breakPrevious, "previous: it does"],
])("no rollback from %s", (_, change, message) => {
  installed("1.0.0");
  change();
  const before = lstatSync(at("cni-wrappers")).ino;
  expect(() => installPrevious(place())).toThrow(message);
  expect(lstatSync(at("cni-wrappers")).ino).toBe(before);
});

const copyProgram = (text: string) => writeFileSync(at("cni-wrappers"), text, { mode: 0o755 });
const copy = (bytes: Buffer) => writeFileSync(at("cni-wrappers"), bytes);

test("a directory in place of the executable is none of ours", () => {
  installed("1.0.0");
  rmSync(at("cni-wrappers"));
  mkdirSync(at("cni-wrappers"), { mode: 0o644 });
  expect(() => ownRelease(place())).toThrow("it does not answer as cni-wrappers does");
});

test("an executable that does not answer runs once: it may take half a minute", () => {
  copyProgram(`#!/bin/sh\necho run >>${at("runs")}\n`);
  expect(() => ownRelease(place())).toThrow("it does not answer as cni-wrappers does");
  expect(readFileSync(at("runs"), "utf8")).toBe("run\n");
});

test("an executable that somebody is writing is told as such", () => {
  installed("1.0.0");
  const open = openSync(at("cni-wrappers"), "r+");
  expect(() => ownRelease(place())).toThrow(
    `${at("cni-wrappers")}: another program has it open for writing; run the command again when that has ended`,
  );
  closeSync(open);
  expect(ownRelease(place())).toMatchObject({ version: "1.0.0" });
});

test("a directory in which nothing can be made", () => {
  intercept("mkdirSync", () => () => {
    throw Object.assign(new Error(), { code: "EROFS" });
  });
  expect(() => installed("1.0.0")).toThrow("the file system is read-only");
});

test("what the disk did not take whole is not put into place", () => {
  const isHalf = (path: string) => String(path).includes("/new.");
  intercept(
    "readFileSync",
    (read) =>
      (path, ...rest) =>
        isHalf(path) ? Buffer.from("half") : read(path, ...rest),
  );
  expect(() => installed("1.0.0")).toThrow(
    "the disk does not give back what was written; nothing has changed: check the disk",
  );
  expect(names()).toEqual([]);
});

test("the executable is on the disk before it is in its place, then the directories, and the links last", () => {
  const { done } = noteSyncs();
  installed("1.0.0", "bridge");
  const first = done.splice(0);
  expect(first).toEqual([
    ...[`fsync ${program("1.0.0")}`, `fsync ${sumOf("cni-wrappers")}  1.0.0\n`, "rename to checksums"],
    ...["rename to cni-wrappers", "fsync of a directory", "fsync of a directory"],
    ...["rename to bridge-wrapper", "fsync of a directory"],
  ]);
  installed("2.0.0", "bridge");
  expect(done.slice(3)).toEqual([
    ...["rename to cni-wrappers", "fsync of a directory", "rename to previous", "fsync of a directory"],
  ]);
  done.splice(0);
  removeAll(place());
  expect(done).toEqual(["fsync of a directory"]);
});

test.each([[], ["1.0.0"]])("an upgrade that fails at its last step leaves nothing behind: %j", (...earlier) => {
  for (const version of earlier) installed(version);
  const mark = `${process.pid}-${readFileSync("/proc/self/stat", "utf8").split(" ")[21]}`;
  const restore = intercept("renameSync", (rename) => (from: string, to: string) => {
    if (to !== at("cni-wrappers")) return rename(from, to);
    // The mark is that of a process that runs, so no other install takes the file for a leftover.
    expect(from).toBe(at(`.cni-wrappers/new.${mark}`));
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  });
  expect(() => installed("2.0.0")).toThrow("no space left on the device");
  restore();
  expect(hidden()).toEqual(["checksums"]);
  expect(existsSync(at("cni-wrappers"))).toBe(earlier.length > 0);
});

test("two installs of one version at the same time keep the version before", () => {
  installed("1.0.0");
  intercept("linkSync", (link) => (from: string, to: string) => {
    // The other one is first.
    renameSync(at("cni-wrappers"), at(".cni-wrappers/previous"));
    writeFileSync(at("cni-wrappers"), program("2.0.0"), { mode: 0o755 });
    link(from, to);
  });
  installed("2.0.0");
  expect(readFileSync(at("cni-wrappers"))).toEqual(program("2.0.0"));
  expect(readFileSync(at(".cni-wrappers/previous"))).toEqual(program("1.0.0"));
  expect(hidden()).toEqual(["checksums", "previous"]);
});

test("a list with wrapper.jq needs the Node flavor", () => {
  const lists = () => ["/a.conflist", "/b.conflist"];
  const withJq = (flavor: "node" | "slim") =>
    install(place(), { bytes: program("1.0.0", flavor), links: undefined }, "bridge", lists);
  const line = (list: string) => `${list}: it has wrapper.jq, and the slim flavor has no jq; install the Node flavor`;
  expect(() => withJq("slim")).toThrow(`${line("/a.conflist")}\n${line("/b.conflist")}`);
  expect(existsSync(at("cni-wrappers"))).toBe(false);
  expect(withJq("node")).toMatchObject({ is: "installed" });
});

test("a list with wrapper.jq keeps the Node flavor, unless that is broken", () => {
  installed("1.0.0");
  install(place(), { bytes: program("2.0.0", "node"), links: undefined }, "bridge");
  const back = () => installPrevious(place(), () => ["/a.conflist"]);
  expect(back).toThrow("/a.conflist: it has wrapper.jq, and the slim flavor");
  expect(readFileSync(at("cni-wrappers"))).toEqual(program("2.0.0", "node"));
  writeFileSync(at("cni-wrappers"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const now = { release: { version: "1.0.0" }, replaced: undefined };
  expect(back()).toMatchObject(now);
  installed("2.0.0");
  expect(back()).toMatchObject({ release: { version: "1.0.0", flavor: "slim" } });
});

test("the lists that have wrapper.jq", () => {
  const isFound = (...plugins: object[]) => hasJq(listFrom({ plugins }) as List);
  expect(isFound({ type: "tuning" }, { type: "bridge-wrapper", wrapper: { jq: "." } })).toBe(true);
  expect(isFound({ type: "tuning" }, { type: "bridge-wrapper", wrapper: { ifName: "eth1" } })).toBe(false);
});

const places = ["--dir", directory, "--cache-dir", directory, "--config-dir", directory];
const uninstall = (...more: string[]) => runCommand(["uninstall", ...places, ...more]);

test("uninstall removes the wrappers if nothing needs them, and names the lists that nobody starts any more", async () => {
  redirect("/var/lib/cni", directory);
  mkdirSync(at("results"));
  for (const type of ["bridge-wrapper", "tuning"]) writeList(at(`${type}.conflist`), { type });
  installed("1.0.0");
  writeFileSync(at(".cni-wrappers/owner"), "a package made these files\n");
  const stderr = expect.stringContaining("a package made these files");
  expect(await uninstall()).toMatchObject({ exitCode: 2, stderr });
  expect(existsSync(at("cni-wrappers"))).toBe(true);
  rmSync(at(".cni-wrappers/owner"));
  expect(await uninstall()).toEqual({
    exitCode: 0,
    stdout: `${directory}: removed bridge-wrapper, macvlan-wrapper, cni-wrappers, .cni-wrappers\n`,
    stderr: `${at("bridge-wrapper.conflist")}: names wrappers; no container of it starts any more, unless another directory of cni_path has them\n`,
  });
  expect(existsSync(at("cni-wrappers"))).toBe(false);
});

test("uninstall in a wrong directory: nothing is there, so nothing needs it", async () => {
  redirect("/var/lib/cni", directory);
  writeList(at("zone.conflist"), { type: "bridge-wrapper" });
  writeResult(directory, { netns: "/proc/self/ns/net" });
  const stdout = `${directory}: nothing is installed there\n`;
  expect(await uninstall()).toEqual({ exitCode: 0, stdout, stderr: "" });
  symlinkSync("cni-wrappers", at("bridge-wrapper"));
  expect(await uninstall()).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^1 running container needs/) });
});

test("uninstall removes nothing where the host's processes are not seen: every container would look gone", async () => {
  mkdirSync(at("results"));
  installed("1.0.0");
  const inContainer = (...more: string[]) =>
    runCommand(["uninstall", ...places, ...more], { viewProblem: (cache) => `${cache} is another host's` });
  expect(await inContainer()).toEqual(trouble(`${directory} is another host's`));
  expect(existsSync(at("cni-wrappers"))).toBe(true);
  expect(await inContainer("--force")).toMatchObject({ exitCode: 0 });
  expect(existsSync(at("cni-wrappers"))).toBe(false);
});

test("uninstall removes nothing while a container needs the wrappers", async () => {
  redirect("/var/lib/cni", directory);
  writeResult(directory, { netns: "/proc/self/ns/net" });
  writeList(at("zone.conflist"), { type: "bridge-wrapper" });
  installed("1.0.0");
  const lists = [at("zone.conflist")];
  const refused = await uninstall("--json");
  expect({ ...refused, stdout: JSON.parse(refused.stdout) }).toEqual({
    exitCode: 1,
    stdout: { removed: [], uses: [{ network: "zone", containerId: "c1", name: "c1" }], lists, leftOut: [] },
    stderr: "",
  });
  expect(existsSync(at("cni-wrappers"))).toBe(true);
  const { exitCode, stdout } = await uninstall("--json", "--force");
  expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
    exitCode: 0,
    lists,
    removed: expect.arrayContaining([at("cni-wrappers")]),
  });
});

/** Writes the journal of a container in the namespace of this process, since this boot. */
function writeJournal(changes: Partial<Entry>): void {
  const memory = new Memory();
  const namespace = memory.namespace("/proc/self/ns/net") ?? nowhere("/none");
  const { bootId = "" } = memory.moment() ?? {};
  for (const [path, text] of Object.entries(journalFiles(entryOf({ bootId, namespace, ...changes }))))
    writeFile(path.replace("/var/lib/cni", directory), text);
}

const tooLong = `/${"x".repeat(300)}`;
const list = (type: string) => ({ cniVersion: "1.0.0", name: "zone", plugins: [{ type }] });

test.each<[string, object | undefined, Partial<Entry> | undefined, string | undefined, string?]>([
  ["with a wrapper in its list", { list: list("bridge-wrapper") }, undefined, "job c1"],
  ["with a plain list", { list: list("bridge") }, undefined, undefined],
  ["without a list", { list: undefined }, undefined, undefined],
  ["with a plain list, in place of which a wrapped one is", { list: list("bridge") }, undefined, "job c1", "zone"],
  ["with a plain list, beside another wrapped one", { list: list("bridge") }, undefined, undefined, "other"],
  ["that is gone, of a list that is wrapped now", { list: undefined, netns: "/none" }, undefined, undefined, "zone"],
  ["without a list, and with a journal", { list: undefined }, {}, "job c1"],
  ["with a journal alone", undefined, {}, "c1"],
  ["with a journal of an earlier boot", undefined, { bootId: "earlier" }, undefined],
  ["with a journal of a namespace that is gone", undefined, { namespace: nowhere("/none") }, undefined],
  ["that is gone", { list: list("bridge-wrapper"), netns: "/none" }, undefined, undefined],
  ["at whose path nobody can look", { list: list("bridge-wrapper"), netns: tooLong }, undefined, "job c1"],
])("does a container %s need the wrappers?", (_, result, entry, name, wrapped = "") => {
  if (entry) writeJournal({ containerId: "c1", ...entry });
  const args = [["NOMAD_JOB_ID", "job"]];
  const attachment = { network: "zone", containerId: "c1", netns: "/proc/self/ns/net", args, ...result };
  const how = { leaveOut: () => {}, state: directory };
  const uses = usesAmong(result ? [attachment as unknown as CachedAttachment] : [], new Set([wrapped]), how);
  expect(uses.map((use) => use.name)).toEqual(name === undefined ? [] : [name]);
});

test("those who need the wrappers are sorted by name, with the directory of the plugins that a journal names", () => {
  for (const id of ["cccccccccccccccc", "b2", "a3"]) writeJournal({ containerId: id, path: `/opt/${id}/bridge` });
  // adopt does not know which plugin made an interface.
  writeJournal({ containerId: "d4", path: "" });
  // A record of 0.2.0 is no journal.
  writeFile(join(directory, "wrappers/zone:b2:eth0:eth0"), "{}");
  const its = { network: "zone", containerId: "b2", netns: "/proc/self/ns/net", args: [["K8S_POD_NAME", "pod"]] };
  const how = { leaveOut: () => {}, state: directory };
  expect(usesAmong([{ ...its, list: undefined } as unknown as CachedAttachment], new Set(), how)).toEqual([
    { network: "zone", containerId: "a3", name: "a3", plugins: "/opt/a3" },
    { network: "zone", containerId: "cccccccccccccccc", name: "cccccccccccc", plugins: "/opt/cccccccccccccccc" },
    { network: "zone", containerId: "d4", name: "d4", plugins: undefined },
    { network: "zone", containerId: "b2", name: "podman pod b2", plugins: "/opt/b2" },
  ]);
});

test.each([
  ["a wrapper among others", true, { type: "bridge" }, { type: "tuning-wrapper" }],
  ["a block for one that stands in for the plugin", true, { type: "tuning", wrapper: {} }, { type: "bridge" }],
  ["plain plugins", false, { type: "bridge" }, { type: "tuning" }],
])("a list with %s", (_, expected, ...plugins) => {
  expect(isWrapped(listFrom({ name: "zone", plugins }))).toBe(expected);
  expect(isWrapped(undefined)).toBe(false);
});

test("uninstall names a list that nobody can read, and removes the wrappers all the same", async () => {
  mkdirSync(at("results"));
  writeFileSync(at("zone.conflist"), "");
  installed("1.0.0");
  const { exitCode, stdout, stderr } = await uninstall("--json");
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/zone\.conflist:1:1: the file is empty\. .*; nobody can tell whether it names wrappers\n$/);
  expect(JSON.parse(stdout)).toMatchObject({
    removed: expect.arrayContaining([at("cni-wrappers")]),
    leftOut: [expect.stringContaining("zone.conflist:1:1: the file is empty")],
  });
});

test("a link to nowhere among the lists: uninstall removes the wrappers with --force, and names it", async () => {
  mkdirSync(at("results"));
  symlinkSync("nowhere", at("late.conflist"));
  installed("1.0.0");
  expect(await uninstall()).toEqual(trouble(`${at("late.conflist")}: it is a link to a file that is missing`));
  expect(existsSync(at("cni-wrappers"))).toBe(true);
  const { exitCode, stderr } = await uninstall("--force");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `${at("late.conflist")}: it is a link to a file that is missing; nobody can tell whether it names wrappers\n`,
  });
  expect(existsSync(at("cni-wrappers"))).toBe(false);
});

test("uninstall removes nothing while a result cannot be read", async () => {
  writeFile(at("results/zone-c1-eth0"), "");
  installed("1.0.0");
  expect(await uninstall()).toMatchObject({
    exitCode: 2,
    stderr: `${at("results/zone-c1-eth0")}: it is not a JSON object; this attachment is left out\n`,
    stdout: expect.stringMatching(
      /^A result or a journal that cannot be read may be of a running container that needs/,
    ),
  });
  expect(existsSync(at("cni-wrappers"))).toBe(true);
  expect(await uninstall("--force")).toMatchObject({ exitCode: 0 });
  expect(existsSync(at("cni-wrappers"))).toBe(false);
});

test("uninstall removes nothing while a journal cannot be read", async () => {
  redirect("/var/lib/cni", directory);
  writeFile(at("wrappers/c1/zone:eth0"), "damaged\n");
  mkdirSync(at("results"));
  installed("1.0.0");
  expect(await uninstall()).toMatchObject({
    exitCode: 2,
    stderr: "/var/lib/cni/wrappers/c1/zone:eth0: it does not say whose it is\n",
    stdout: expect.stringMatching(
      /^A result or a journal that cannot be read may be of a running container that needs/,
    ),
  });
  expect(existsSync(at("cni-wrappers"))).toBe(true);
  expect(await uninstall("--force")).toMatchObject({ exitCode: 0 });
});

test.each([".", "folder", "bridge-wrapper", "cni-wrappers"])("plugins: %s is no plugin", (name) => {
  installed("1.0.0");
  mkdirSync(at("folder"));
  expect(() => installed("1.0.0", name)).toThrow(`--plugins: there is no plugin ${name} in ${directory}`);
});

test("a directory has plugins if one of its programs is not ours", () => {
  installed("1.0.0");
  writeFileSync(at("README.md"), "");
  mkdirSync(at("folder"));
  symlinkSync("nowhere", at("broken"));
  expect(hasPlugins(place())).toBe(false);
  writeFileSync(at("bridge"), "", { mode: 0o755 });
  expect(hasPlugins(place())).toBe(true);
  rmSync(at("bridge"));
  symlinkSync("/bin/sh", at("bridge"));
  expect(hasPlugins(place())).toBe(true);
});

test("a program that is no wrapper is not put into place", () => {
  installed("1.0.0");
  const bytes = Buffer.from("#!/bin/sh\necho CNI bridge plugin v1.9.1\n");
  expect(() => install(place(), { bytes, links: undefined }, "all")).toThrow("does not answer as cni-wrappers does");
  expect(readFileSync(at("cni-wrappers"))).toEqual(program("1.0.0"));
  expect(hidden()).toEqual(["checksums"]);
});

test.each([
  ["a file", () => writeFileSync(at("bridge-wrapper"), "")],
  ["a directory", () => mkdirSync(at("bridge-wrapper"))],
  ["a link to other", () => symlinkSync("other", at("bridge-wrapper"))],
])("what install did not make stays: %s", (what, make) => {
  make();
  writeFileSync(at("macvlan-wrapper"), "");
  const line = (name: string, is: string) =>
    `${at(name)}: it is ${is} that install did not make; move it away, or choose with --plugins`;
  expect(() => installed("1.0.0")).toThrow(`${line("bridge-wrapper", what)}\n${line("macvlan-wrapper", "a file")}`);
  expect(names()).toEqual(["bridge-wrapper", "macvlan-wrapper"]);
});

test.each([
  ["a file", () => copy(Buffer.from("#!/bin/sh\n")), "it is not executable; run: chmod 755"],
  ["another program", () => copyProgram("#!/bin/sh\n"), "it does not answer as cni-wrappers does"],
  ["a pipe", () => execFileSync("mkfifo", [at("cni-wrappers")]), "it does not answer as cni-wrappers does"],
  ["a link", () => symlinkSync("/x/cni-wrappers", at("cni-wrappers")), "it is a link to /x/cni-wrappers"],
])("%s under the executable's name stays", (_what, make, message) => {
  make();
  expect(() => installed("1.0.0")).toThrow(`/cni-wrappers: ${message}`);
  expect(() => ownRelease(place())).toThrow(message);
  expect(names()).toEqual(["cni-wrappers"]);
});

test("the files of a package stay", () => {
  writeFile(at(".cni-wrappers/owner"), "the package cni-wrappers owns these files\n");
  expect(() => installed("1.0.0")).toThrow(/: the package cni-wrappers owns these files$/);
});

test("plugins: a name without a profile needs a plugin of that name", () => {
  const source = { bytes: program("1.0.0"), links: ["bridge-wrapper", "ptp-wrapper"] };
  expect(() => install(place(), source, "brigde")).toThrow(
    `--plugins: there is no plugin brigde in ${directory}, and it is none of bridge, ptp`,
  );
  writeFileSync(at("calico"), "");
  expect(installed("1.0.0", "calico").newLinks).toEqual(["calico-wrapper"]);
  expect(() => installed("1.0.0", `../${basename(directory)}/calico`)).toThrow("--plugins");
  expect(installed("1.0.0", "bridge, ptp").newLinks).toEqual(["bridge-wrapper", "ptp-wrapper"]);
});

test("what a killed command left is removed, unless its process lives", () => {
  installed("1.0.0");
  installed("2.0.0");
  const [, , ...fields] = readFileSync("/proc/self/stat", "utf8").split(" ");
  const alive = `${process.pid}-${fields[19]}`;
  for (const mark of ["999999999-1", `${process.pid}-1`, alive]) writeFileSync(at(`.cni-wrappers/new.${mark}`), "");
  symlinkSync("cni-wrappers", at(".cni-wrappers/link.999999999-1"));
  writeFileSync(at(".cni-wrappers/checksums.999999999-1"), "");
  // The second name of the executable in use, from before the rename.
  linkSync(at("cni-wrappers"), at(".cni-wrappers/previous.999999999-1"));
  writeFileSync(at(".cni-wrappers/renew.999999999-1"), "of somebody else");
  installed("2.0.0");
  expect(hidden()).toEqual(["checksums", `new.${alive}`, "previous", "renew.999999999-1"]);
  expect(readFileSync(at(".cni-wrappers/previous"))).toEqual(program("1.0.0"));
});

test("what a process leaves stays while it lives, whatever its name is", () => {
  installed("1.0.0");
  // Like a name in parentheses, as proc_pid_stat(5) writes it.
  symlinkSync("/bin/sleep", at("a ) b"));
  const child = spawn(at("a ) b"), ["60"]);
  try {
    const [, fields = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(" (a ) b) ");
    const left = `new.${child.pid}-${fields.split(" ")[19]}`;
    writeFileSync(at(`.cni-wrappers/${left}`), "");
    installed("2.0.0");
    expect(hidden()).toContain(left);
  } finally {
    child.kill("SIGKILL");
  }
});

test("a version that a killed command replaced becomes the previous one", () => {
  installed("1.0.0");
  installed("2.0.0");
  installed("3.0.0");
  renameSync(at(".cni-wrappers/previous"), at(".cni-wrappers/previous.999999999-1"));
  expect(installPrevious(place())).toMatchObject({ release: { version: "2.0.0" } });
  renameSync(at(".cni-wrappers/previous"), at(".cni-wrappers/previous.999999999-1"));
  rmSync(at("cni-wrappers"));
  expect(installPrevious(place())).toMatchObject({ release: { version: "3.0.0" } });
});

test("uninstall removes every link to the executable, and nothing else", () => {
  installed("1.0.0");
  installed("2.0.0");
  symlinkSync("cni-wrappers", at("bridge"));
  symlinkSync("other", at("tap-wrapper"));
  symlinkSync(at("cni-wrappers"), at("vlan-wrapper"));
  writeFileSync(at("macvlan"), "");
  const links = ["bridge", "bridge-wrapper", "macvlan-wrapper", "vlan-wrapper"];
  expect(removeAll(place())).toEqual([...links, "cni-wrappers", ".cni-wrappers"].map(at));
  expect(names()).toEqual(["macvlan", "tap-wrapper"]);
  expect(removeAll(place())).toEqual([]);
});

test.each(["2.0.0", "--rollback", "uninstall"])(
  "a kept version that cannot be moved: nothing changes with %s",
  (how) => {
    installed("0.9.0");
    installed("1.0.0");
    const before = [names(), hidden(), sumOf("cni-wrappers")];
    const refuse = (actual: (from: string, to: string) => void) => (from: string, to: string) => {
      if ([from, to].includes(at(".cni-wrappers/previous"))) throw Object.assign(new Error("EPERM"), { code: "EPERM" });
      actual(from, to);
    };
    const restore = [intercept("linkSync", refuse), intercept("renameSync", refuse)];
    const act = () =>
      how === "uninstall" ? removeAll(place()) : how === "--rollback" ? installPrevious(place()) : installed(how);
    expect(act).toThrow(`${at(".cni-wrappers/previous")}: the file system or its attributes do not allow it`);
    for (const undo of restore.reverse()) undo();
    expect([names(), hidden(), sumOf("cni-wrappers")]).toEqual(before);
  },
);

test("no rollback to an executable that another user may change", () => {
  installed("1.0.0");
  chmodSync(at("cni-wrappers"), 0o4777);
  installed("2.0.0");
  const previous = at(".cni-wrappers/previous");
  writeFileSync(previous, `${program("1.0.0")}touch ${at("started")}\n`);
  chmodSync(previous, 0o4777);
  expect(() => installPrevious(place())).toThrow(
    `${previous}: another user may change it, or gets its owner's rights; run: chown root: ${previous} && chmod ug-s,go-w ${previous}`,
  );
  expect(existsSync(at("started"))).toBe(false);
  chmodSync(previous, 0o755);
  expect(installPrevious(place())).toMatchObject({ release: { version: "1.0.0" } });
});

test("uninstall removes nothing if the executable cannot be removed: its links would be gone", async () => {
  redirect("/var/lib/cni", directory);
  mkdirSync(at("results"));
  installed("1.0.0");
  const before = [names(), hidden()];
  // What the kernel says of an immutable file; e2e has a real one.
  const restore = intercept("linkSync", () => () => {
    throw Object.assign(new Error("EPERM"), { code: "EPERM", syscall: "link" });
  });
  expect(await uninstall()).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `cni-wrappers: ${at("cni-wrappers")}: it is immutable (run: chattr -i), or its file system has no hard links; then remove the links and the executable by hand, once no container needs them\n`,
  });
  expect([names(), hidden()]).toEqual(before);
  restore();
  expect(await uninstall()).toMatchObject({ exitCode: 0 });
});

test("a directory that is missing, or none", () => {
  expect(() => placeAt(at("nowhere"), "/")).toThrow("there is no such directory; make it, or name another with --dir");
  writeFileSync(at("file"), "");
  expect(() => placeAt(at("file"), "/")).toThrow("it is not a directory");
});

test("a link instead of its own directory is refused: another user may have made it", () => {
  mkdirSync(at("target"));
  mkdirSync(at("plugins"));
  symlinkSync("../target", at("plugins/.cni-wrappers"));
  const replace = () => install(placeAt(at("plugins"), "/"), { bytes: program("0.1.0"), links: undefined }, "bridge");
  expect(replace).toThrow(`${at("plugins")}/.cni-wrappers: it is a link`);
  expect(() => installPrevious(placeAt(at("plugins"), "/"))).toThrow("it is a link");
  expect(readdirSync(at("target"))).toEqual([]);
  rmSync(at("plugins/.cni-wrappers"));
  expect(replace().is).toBe("installed");
});

test.each(["#!/nowhere/interpreter\n", "echo CNI x plugin v1.0.0; echo Built from commit 1\n"])(
  "a program that cannot run says why, and no shell gets it: %j",
  (text) => {
    const bytes = Buffer.from(text);
    expect(() => install(place(), { bytes, links: undefined }, "all")).toThrow("its loader is missing on this host");
    expect(existsSync(at("cni-wrappers"))).toBe(false);
  },
);
