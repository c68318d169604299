import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { bill } from "../../../build/release/archive.ts";
import { epochOf } from "../../../build/release/epoch.ts";
import { pack } from "../../../build/release/pack.ts";
import { verifyArchive } from "../../../build/release/rebuild.ts";
import { copyOfTree, git, root, scratch, writeScript } from "../../support/tree.ts";

const time = 1_700_000_000;
const name = "cni-wrappers-linux-amd64-v1.2.3.tgz";

afterEach(() => void vi.unstubAllEnvs());

/** The repository of the sources, with one commit. */
function repository(sources = scratch()): { readonly sources: string; readonly commit: string } {
  writeFileSync(join(sources, "source"), "of the commit");
  git(sources, "init", "--quiet");
  git(sources, "add", "source");
  vi.stubEnv("GIT_COMMITTER_DATE", `${time} +0000`);
  git(sources, "commit", "--quiet", "--message", "first");
  return { sources, commit: git(sources, "rev-parse", "HEAD") };
}

const otherParts = [{ name: "libc", version: "0.1" }];

/** The bill of materials of an archive. Its other properties come first and last. */
function billOf(
  commit: string,
  at = time,
  parts: readonly object[] = [{ name: "rust-std", version: "1.95.0" }],
): string {
  const others = ["cni-wrappers:flavor", "cni-wrappers:target"].map((each) => ({ name: each, value: "slim" }));
  const properties = [others[0], { name: "cni-wrappers:commit", value: commit }, others[1]];
  const metadata = { timestamp: new Date(at * 1000).toISOString(), component: { properties } };
  return JSON.stringify({ metadata, components: [...otherParts, ...parts, ...otherParts] });
}

function archiveOf(files: Readonly<Record<string, string>>, epoch = time): string {
  const directory = scratch();
  mkdirSync(join(directory, "content"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, "content", file), text);
  pack(join(directory, "content"), join(directory, name), epoch);
  return join(directory, name);
}

/** The sources give `again`. Returns what the second build saw. */
function programs(again: string, rust = "1.95.0"): () => readonly string[] {
  const directory = scratch();
  const caches = "$XDG_CACHE_HOME $CARGO_HOME $npm_config_cache";
  writeScript(
    join(directory, "npm"),
    `{ echo "$@"; cat source; echo; echo $SOURCE_DATE_EPOCH $GIVEN; echo "$GIVEN_PATH"; ls -A ${caches} | grep -v : ; git status --porcelain; } >${directory}/seen
     mkdir -p dist/release && cp ${again} dist/release/${name}`,
  );
  // writeScript sets a PATH of its own.
  const npm = readFileSync(join(directory, "npm"), "utf8");
  writeFileSync(join(directory, "npm"), npm.replace("PATH=", 'GIVEN_PATH="$PATH"\nPATH='));
  writeScript(join(directory, "rustc"), `echo "rustc $*"; echo "release: ${rust}"; echo "LLVM version: 1"`);
  vi.stubEnv("PATH", [directory, "/clone/node_modules/.bin", process.env.PATH].join(delimiter));
  vi.stubEnv("GIVEN", "given");
  return () => readFileSync(join(directory, "seen"), "utf8").trimEnd().split("\n");
}

const left = () => readdirSync(tmpdir()).filter((file) => /^cni-wrappers-(verify|compare)-/.test(file));

test("the same bytes are a verified archive, built from its commit at its time, without a cache", () => {
  const { sources, commit } = repository();
  writeFileSync(join(sources, "source"), "not committed");
  const archive = archiveOf({ "cni-wrappers": "0123", [bill]: billOf(commit) });
  const seen = programs(archive, "1.90.0");
  const before = left();
  expect(verifyArchive(archive, sources)).toEqual([]);
  expect(left()).toEqual(before);
  const [command, source, given, path, ...others] = seen();
  expect([command, source, given]).toEqual([
    "run --silent release -- --flavor slim --arch amd64",
    "of the commit",
    `${time} given`,
  ]);
  expect(path).toContain("/usr/bin");
  expect(path).not.toContain("node_modules");
  expect(others.filter(Boolean)).toEqual([]);
});

test("a commit that somebody proposes, on a branch of the clone, is not built; one with a tag is", () => {
  const { sources } = repository();
  git(sources, "checkout", "--quiet", "-b", "proposed");
  git(sources, "commit", "--quiet", "--allow-empty", "--message", "second");
  const proposed = git(sources, "rev-parse", "HEAD");
  git(sources, "checkout", "--quiet", "-");
  const archive = archiveOf({ [bill]: billOf(proposed) });
  const seen = programs(archive);
  expect(() => verifyArchive(archive, sources)).toThrow(
    `${name} names the commit ${proposed}, which HEAD and the tags do not have`,
  );
  expect(seen).toThrow("ENOENT");
  git(sources, "tag", "v1.2.3", proposed);
  expect(verifyArchive(archive, sources)).toEqual([]);
});

test.each<[string, (commit: string) => Record<string, string>, number, string[]]>([
  [
    "another date in the bill",
    (commit) => ({ "cni-wrappers": "0123", [bill]: billOf(commit, time + 1) }),
    time,
    [expect.stringMatching(/^cni-wrappers.cdx.json differs at byte \d+$/)],
  ],
  [
    "another date of the files",
    (commit) => ({ "cni-wrappers": "0123", [bill]: billOf(commit) }),
    time + 1,
    ["only the order, the times, the owners or the compression differ"],
  ],
])("what the sources give has %s: it is named", (_, again, epoch, expected) => {
  const { sources, commit } = repository();
  programs(archiveOf(again(commit), epoch));
  expect(verifyArchive(archiveOf({ "cni-wrappers": "0123", [bill]: billOf(commit) }), sources)).toEqual(expected);
});

test.each([
  [
    "another Rust is named as a cause",
    "1.90.0",
    undefined,
    ["it was built with Rust 1.95.0, and this host has 1.90.0"],
  ],
  ["the same Rust is not", "1.95.0", undefined, []],
  ["an archive without Rust has no such cause", "1.90.0", [], []],
])("%s", (_, rust, parts, expected) => {
  const { sources, commit } = repository();
  const made = (text: string) => archiveOf({ "cni-wrappers": text, [bill]: billOf(commit, time, parts) });
  programs(made("1"), rust);
  expect(verifyArchive(made("0"), sources)).toEqual(["cni-wrappers differs at byte 0", ...expected]);
});

const commit = "0123456789".repeat(4);

test.each<[string, Record<string, string>, RegExp]>([
  ["of changed sources", { [bill]: billOf(`${commit}-dirty`) }, /was built from changed sources \(\w{40}-dirty\)$/],
  ["of a commit with another word before it", { [bill]: billOf(`of ${commit}`) }, /changed sources \(of \w{40}\)$/],
  ["without a commit", { [bill]: billOf(commit).replace("cni-wrappers:commit", "") }, /changed sources \(\)$/],
  ["without a bill of materials", { "cni-wrappers": "0123" }, /^tar failed: .*cni-wrappers.cdx.json: Not found/],
])("an archive %s is refused", (_, files, message) => {
  programs("/nowhere");
  const before = left();
  expect(() => verifyArchive(archiveOf(files), "/nowhere")).toThrow(message);
  expect(left()).toEqual(before);
});

test("a file with another name is refused, and a build that fails says why", () => {
  const { sources, commit: own } = repository();
  programs("/nowhere");
  expect(() => verifyArchive("/tmp/other.tgz")).toThrow("/tmp/other.tgz has not the name of an archive of a release");
  const before = left();
  const archive = archiveOf({ [bill]: billOf(own) });
  expect(() => verifyArchive(archive, sources)).toThrow(/^npm failed: cp: .*nowhere/);
  expect(left()).toEqual(before);
});

test.each<[string, string, boolean, string | undefined, number | string]>([
  ["the time is the commit's", commit, false, undefined, time],
  ["or the given one", commit, false, "1600000000", 1_600_000_000],
  ["changed sources have none", `${commit}-dirty`, false, undefined, `this is no commit (${commit}-dirty), so nobody`],
  ["nor have sources without a commit", "unknown", false, "1600000000", "this is no commit (unknown), so nobody"],
  ["unless nobody is to verify them", `${commit}-dirty`, true, undefined, time],
  ["a time that is none", commit, false, "yesterday", "set SOURCE_DATE_EPOCH: there is no commit"],
  ["a part of a second", commit, false, "1600000000.5", "set SOURCE_DATE_EPOCH: there is no commit"],
])("%s", (_, of, dirty, given, expected) => {
  const { sources } = repository();
  const epoch = () => epochOf({ version: "1.2.3", commit: of }, dirty, sources, { SOURCE_DATE_EPOCH: given });
  if (typeof expected === "number") expect(epoch()).toBe(expected);
  else expect(epoch).toThrow(expected);
});

test("without a commit and a given time there is no release", () => {
  expect(() => epochOf({ version: "1.2.3", commit }, true, scratch(), {})).toThrow("set SOURCE_DATE_EPOCH");
});

test("nothing in an archive forges the line that says that it is verified", () => {
  const forged = `\u001b[2K\n${name}: the sources give the same bytes, sha256 0123`;
  const script = join(root, "build/release/verify.ts");
  const archive = archiveOf({ [bill]: billOf(forged) });
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, archive], { encoding: "utf8" });
  const line = `build: ${archive} was built from changed sources (\\u001b[2K\\n${forged.split("\n")[1]})\n`;
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: line });
});

test("of two archives, the one that differs decides about the exit code", () => {
  const { sources, commit } = repository(copyOfTree([".git"]));
  const [other = "", same = ""] = ["0", "1"].map((text) => archiveOf({ "cni-wrappers": text, [bill]: billOf(commit) }));
  programs(same);
  const script = join(sources, "build/release/verify.ts");
  const { status, stdout } = spawnSync(process.execPath, [script, other, same], { encoding: "utf8" });
  const lines = [`${name}: cni-wrappers differs at byte 0`, `${name}: the sources give the same bytes, sha256 `];
  expect([status, stdout.replace(/[0-9a-f]{64}/, "")]).toEqual([1, `${lines.join("\n")}\n`]);
});
