import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { adopt, adoptCase, keptResults, undo } from "../../../../cli/adopt/adoption.ts";
import type { Case } from "../../../../cli/adopt/proposal.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { failWith, intercept, noteSyncs } from "../../support/file-functions.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";

const directory = scratch();
beforeEach(() => {
  mkdirSync(join(directory, "cache/results"), { recursive: true });
});

const at = (name: string) => join(directory, name);
const asked = { kept: new Map(), note: () => undefined };
const undoAll = () => undo(at("cache"), () => true, asked);

/** What undo did, and what it noted. */
function undoNoting() {
  const lines: string[] = [];
  const undone = undo(at("cache"), () => true, { kept: new Map(), note: (line) => lines.push(line) });
  return { undone, lines };
}

/** The result of c1. */
const file = at("cache/results/zone-c1-eth0");
const setResult = (text: string) => writeFileSync(file, text);
const result = () => readFileSync(file, "utf8");
const kept = at("cache/adopted/zone-c1-eth0");

/** Adopts it as it is now. */
function adoptNow(parts: Partial<Parameters<typeof adopt>[2]> = {}): () => void {
  const read = { file, text: result() } as CachedAttachment;
  return adopt(at("cache"), read, { result: { cniVersion: "1.0.0" }, journal: undefined, ...parts });
}

/** Runs `adopt --undo` with the test's directories. */
const runUndo = (...options: string[]) =>
  runCommand(["adopt", "--undo", "--cache-dir", at("cache"), "--config-dir", at("cache"), ...options]);

const backUp = (backup: object, name = "zone-c1-eth0") => writeFile(at(`cache/adopted/${name}`), backup);

const afterKill = "after three adoptions, undo restores the oldest text, also if a kill left the %ith one's";
test.each([1, 2, 3])(afterKill, (left) => {
  const texts = ['{"result":{}}'];
  setResult('{"result":{}}');
  for (const mtu of [1, 2, 3]) {
    adoptNow({ result: { cniVersion: "1.0.0", mtu } });
    texts.push(result());
  }
  expect(texts[3]).toBe('{"result":{"cniVersion":"1.0.0","mtu":3}}');
  expect(statSync(at("cache/adopted")).mode & 0o777).toBe(0o700);
  setResult(texts[left] ?? "");
  expect(undoAll()).toEqual([[file, "restored"]]);
  expect(result()).toBe('{"result":{}}');
});

test("the backup, the journal and the result are on the disk in this order", () => {
  setResult("{}");
  const { done } = noteSyncs();
  adoptNow({ journal: { file: at("wrappers/c1/zone:eth0"), text: "its" } });
  const steps = done.filter((step) => step !== "fsync of a directory");
  expect(steps.slice(1)).toEqual([
    ...["rename to zone-c1-eth0", "fsync its"],
    ...['fsync {"result":{"cniVersion":"1.0.0"}}', "rename to zone-c1-eth0"],
  ]);
  expect(steps[0]).toMatch(/^fsync \{"before":"\{\}"/);
});

test("a file in place of the backups is trouble", () => {
  writeFileSync(at("cache/adopted"), "");
  setResult("{}");
  expect(() => adoptNow()).toThrow(`${kept}: a part of the path is not a directory`);
});

test("a journal that cannot be written is trouble, and the result stays", () => {
  setResult("{}");
  writeFileSync(at("wrappers"), "a file");
  const journal = { file: at("wrappers/c1/zone:eth0"), text: "its" };
  expect(() => adoptNow({ journal })).toThrow(`${journal.file}: ENOTDIR`);
  expect(result()).toBe("{}");
});

test("a result stays as old as it was: preflight takes its time for the start of the container", () => {
  setResult("{}");
  utimesSync(file, 1000, 1000);
  adoptNow();
  expect([result(), statSync(file).mtimeMs]).toEqual(['{"result":{"cniVersion":"1.0.0"}}', 1_000_000]);
  undoAll();
  expect([result(), statSync(file).mtimeMs]).toEqual(["{}", 1_000_000]);
});

test("after the runtime wrote the file anew, the new text is the oldest", () => {
  for (const text of ['{"result":{}}', '{"result":{"dns":{}}}']) {
    setResult(text);
    adoptNow();
  }
  undoAll();
  expect(result()).toBe('{"result":{"dns":{}}}');
});

const makePipe = (path: string) => void execFileSync("mkfifo", [path]);
test.each<[string, string, (path: string) => void, string, string]>([
  ["a pipe among the backups", "adopted", makePipe, "unreadable", ""],
  ["a directory among the backups", "adopted", mkdirSync, "unreadable", ""],
  ["a pipe as a result", "results", makePipe, "failed", "it is not a regular file; write its content into one"],
  ["a directory as a result", "results", mkdirSync, "failed", "is a directory"],
])("--undo restores the other results beside %s", async (_, folder, make, how, reason) => {
  setResult("after");
  backUp({ before: "before", after: "after" });
  const odd = at("cache/results/odd-c1-eth0");
  if (folder === "results") backUp({ before: "before", after: "after" }, "odd-c1-eth0");
  make(at(`cache/${folder}/odd-c1-eth0`));
  const { exitCode, stdout, stderr } = await runUndo("--json");
  expect({ exitCode, undone: JSON.parse(stdout) }).toEqual({
    exitCode: 2,
    undone: [
      { file: odd, undone: how },
      { file, undone: "restored" },
    ],
  });
  expect(stderr).toContain(reason && `${odd}: ${reason}\n`);
});

test("--undo says in words which backup it cannot remove", async () => {
  setResult("after");
  backUp({ before: "before", after: "after" });
  failWith("EROFS", "unlinkSync");
  const { exitCode, stdout, stderr } = await runUndo("--json");
  expect({ exitCode, undone: JSON.parse(stdout) }).toEqual({ exitCode: 2, undone: [{ file, undone: "failed" }] });
  expect(stderr).toMatch(/\/adopted\/\S+: the file system is read-only\n$/);
});

/** What libcni keeps of a container, with one of two results. */
const keptOf = (containerId: string, domain: string, netns = "/run/netns/none") => {
  const key = { kind: "cniCacheV1", containerId, ifName: "eth0", networkName: "zone", netns };
  return JSON.stringify({ ...key, result: { cniVersion: "1.0.0", dns: { domain } } });
};

test.each<[string, Record<string, string | undefined>, number, string]>([
  ["without a backup", {}, 0, "There is no backup.\n"],
  ["of a result that is there", { c1: "after" }, 0, "c1: restored\n"],
  ["of a result that is gone", { c1: undefined }, 0, "c1: the container is gone; the backup is removed\n"],
  [
    "of one of two results",
    { c1: "after", c2: "changed" },
    1,
    "c1: restored\nc2: it changed since adopt, so it stays as it is\n",
  ],
])("--undo %s", async (_, results, exitCode, words) => {
  for (const [container, text] of Object.entries(results)) {
    const name = `zone-${container}-eth0`;
    if (text !== undefined) writeFileSync(at(`cache/results/${name}`), keptOf(container, text));
    backUp({ before: keptOf(container, "before"), after: keptOf(container, "after") }, name);
  }
  expect(await runUndo()).toMatchObject({
    exitCode,
    stdout: words.replaceAll(/^c\d/gm, (container) => at(`cache/results/zone-${container}-eth0`)),
  });
});

test("a backup that is the last copy of a live container's result stays, and so does the journal", async () => {
  const netns = "/proc/self/ns/net";
  redirect("/var/lib/cni", at("state"));
  const journal = { file: "/var/lib/cni/wrappers/c1/zone:eth0", text: "its" };
  writeFile(at("state/wrappers/c1/zone:eth0"), "its");
  backUp({ before: keptOf("c1", "before", netns), after: keptOf("c1", "after", netns), journal });
  expect(await runUndo()).toMatchObject({
    exitCode: 1,
    stdout: `${file}: the result is gone, and the container is not; its backup stays\n`,
  });
  expect([kept, at("state/wrappers/c1/zone:eth0")].map((path) => existsSync(path))).toEqual([true, true]);
});

test("a backup under another name says nothing of the result of that name, and stays", async () => {
  setResult(keptOf("c1", "after"));
  for (const name of ["zone-c1-eth0.bak", "zone-c2-eth0"])
    backUp({ before: keptOf("c1", "before"), after: keptOf("c1", "after") }, name);
  expect(undoAll().map(([, undone]) => undone)).toEqual(["unreadable", "unreadable"]);
  expect(existsSync(at("cache/adopted/zone-c1-eth0.bak"))).toBe(true);
  expect(await runUndo()).toMatchObject({ exitCode: 2, stderr: "" });
});

test("--undo takes no other list", async () => {
  const outcome = await runCommand(["adopt", "--undo", "--with", at("zone.conflist")]);
  expect(outcome).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("cannot be used with option") });
});

test.each([
  ["--container", "c1", ["zone-c1-eth0"]],
  ["--network", "zone", ["zone-c1-eth0", "zone-c2-eth0"]],
])("--undo %s %s restores its results only", async (option, name, restored) => {
  for (const [networkName, containerId] of [
    ["zone", "c1"],
    ["zone", "c2"],
    ["other", "c2"],
  ]) {
    const after = writeResult(at("cache"), { networkName, containerId, netns: "/none" });
    backUp({ before: "before", after }, `${networkName}-${containerId}-eth0`);
  }
  const { stdout } = await runUndo(option, name);
  expect(stdout).toBe(restored.map((file) => `${at(`cache/results/${file}`)}: restored\n`).join(""));
});

test.each([
  ...["{", "{}", "", '{"before":"before"}', '{"before":1,"after":"after"}'],
  '{"before":"before","after":"after","journal":null}',
  '{"before":"before","after":"after","journal":{"file":"/var/lib/cni/wrappers/c1/zone:eth0"}}',
  '{"before":"before","after":"after","journal":{"text":""}}',
  '{"before":"before","after":"after","between":"x"}',
])("a backup that cannot be read is named by --undo, and stays: %j", async (text) => {
  setResult("after");
  backUp({ before: "before", after: "after" });
  writeFileSync(kept, text);
  expect(await runUndo()).toMatchObject({
    exitCode: 2,
    stdout: `${file}: its backup cannot be read, so it stays as it is\n`,
  });
  expect(readFileSync(kept, "utf8")).toBe(text);
  expect(result()).toBe("after");
});

test("undo restores the result of a container that is there", () => {
  const [before, after] = ["before", "after"].map((text) => keptOf("c1", text, "/proc/self/ns/net"));
  setResult(after ?? "");
  backUp({ before, after });
  expect(undoAll()).toEqual([[file, "restored"]]);
  expect(result()).toBe(before);
});

test.each([
  ["that DEL removed does not come back, and its backup goes", undefined, "gone", false],
  ["that another one wrote stays, and its backup, too", "another", "changed since", true],
])("a result %s", (_, text, undone, isKept) => {
  if (text !== undefined) setResult(text);
  backUp({ before: "before", after: "after" });
  expect(undoAll()).toEqual([[file, undone]]);
  expect(existsSync(kept)).toBe(isKept);
  expect(existsSync(file)).toBe(text !== undefined);
});

test("a backup that a killed adopt left half written is none", () => {
  backUp({ before: "before", after: "after" }, ".zone-c1-eth0.1.tmp");
  expect(undoAll()).toEqual([]);
});

test("undo restores the file of the backup's name, and removes the journal that adopt wrote", () => {
  redirect("/var/lib/cni", at("state"));
  const journal = { file: "/var/lib/cni/wrappers/c1/zone:eth0", text: "its" };
  writeFile(at("state/wrappers/c1/zone:eth0"), "its");
  setResult("after");
  backUp({ before: "before", after: "after", journal });
  expect(undoAll()).toEqual([[file, "restored"]]);
  expect(result()).toBe("before");
  expect([kept, at("state/wrappers/c1")].map((path) => existsSync(path))).toEqual([false, false]);
});

test("undo overwrites no file that a backup names elsewhere", () => {
  writeFileSync(at("passwd"), "after");
  backUp({ file: at("passwd"), before: "before", after: "after" });
  undoAll();
  expect(readFileSync(at("passwd"), "utf8")).toBe("after");
});

test.each([...["victim", "wrappers", "wrappers/c1", "wrappers/../victim/zone:eth0", "wrappers/c1/zone:eth0/more"]])(
  "undo removes only journals, not %s",
  (name) => {
    const journal = { file: name.startsWith("wrappers") ? `/var/lib/cni/${name}` : at(name), text: "" };
    backUp({ before: "before", after: "after", journal });
    setResult("after");
    expect(undoAll()).toEqual([[file, "unreadable"]]);
    expect(result()).toBe("after");
  },
);

test("undo leaves what changed while it wrote the old result to the disk", () => {
  setResult("after");
  backUp({ before: "before", after: "after" });
  intercept("fsyncSync", () => () => setResult("new"));
  const lines = [`${file}: it changed meanwhile; run adopt --undo again`];
  expect(undoNoting()).toEqual({ undone: [[file, "failed"]], lines });
  expect(result()).toBe("new");
});

test.each([true, false])("undo needs no journal that a DEL removes first (its result, too: %s)", (isResultGone) => {
  redirect("/var/lib/cni/wrappers", at("wrappers"));
  const journal = { file: "/var/lib/cni/wrappers/c1/zone:eth0", text: "{}\n" };
  writeFile(at("wrappers/c1/zone:eth0"), journal.text);
  if (!isResultGone) setResult("after");
  backUp({ before: "before", after: "after", journal });
  intercept("unlinkSync", (actual) => (path: string) => {
    if (path === journal.file) rmSync(path);
    actual(path);
  });
  expect(undoNoting()).toEqual({ undone: [[file, isResultGone ? "gone" : "restored"]], lines: [] });
  expect([kept, at("wrappers/c1")].map((path) => existsSync(path))).toEqual([false, false]);
});

test("a DEL while the new result is written to the disk wins: the result does not come back", () => {
  setResult('{"result":{}}');
  let syncs = 0;
  intercept("fsyncSync", (actual) => (descriptor: number) => {
    actual(descriptor);
    // The backup takes two: the file and its directory. The third one is for the new result.
    if (++syncs < 3) return;
    // libcni takes each file there for a result.
    expect(readdirSync(at("cache/results"))).toEqual(["zone-c1-eth0"]);
    rmSync(file);
  });
  expect(() => adoptNow()).toThrow(`${file}: it changed meanwhile`);
  expect(syncs).toBe(3);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(at("cache/adopted"))).toEqual(["zone-c1-eth0"]);
});

describe("a journal that adopt wrote", () => {
  const text = "what adopt wrote\n";
  const journal = () => at("wrappers/c1/zone:eth0");

  function adoptWithJournal(): () => void {
    setResult("{}");
    return adoptNow({ journal: { file: journal(), text } });
  }

  test("is only its owner's to read, and goes when adopt takes its work back", () => {
    const takeBack = adoptWithJournal();
    expect(readFileSync(journal(), "utf8")).toBe(text);
    expect([dirname(journal()), journal()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    takeBack();
    expect(existsSync(dirname(journal()))).toBe(false);
  });

  test("stays if a wrapper has written to it since", () => {
    const takeBack = adoptWithJournal();
    appendFileSync(journal(), "a later line\n");
    takeBack();
    expect(readFileSync(journal(), "utf8")).toBe(`${text}a later line\n`);
  });

  test("goes if the result has changed meanwhile", () => {
    const read = { file: file, text: "{}" } as CachedAttachment;
    const parts = { result: { cniVersion: "1.0.0" }, journal: { file: journal(), text } };
    writeFileSync(read.file, "changed");
    expect(() => adopt(at("cache"), read, parts)).toThrow("it changed meanwhile; run adopt again");
    expect(existsSync(dirname(journal()))).toBe(false);
  });

  test.each([
    ["the first", [true, false]],
    ["the second", [false, true]],
  ])("is removed by --undo after two adoptions; %s added it", (_, adds) => {
    redirect("/var/lib/cni/wrappers", at("wrappers"));
    setResult("{}");
    for (const [mtu, isAdded] of adds.entries()) {
      const added = isAdded ? { file: "/var/lib/cni/wrappers/c1/zone:eth0", text } : undefined;
      adoptNow({ result: { cniVersion: "1.0.0", mtu }, journal: added });
    }
    expect(existsSync(journal())).toBe(true);
    undoAll();
    expect(existsSync(journal())).toBe(false);
  });

  test("is not written where there is another one", () => {
    writeFile(journal(), "theirs");
    adoptWithJournal()();
    expect(readFileSync(journal(), "utf8")).toBe("theirs");
  });
});

const passes = async (): Promise<Verdict> => ({ is: "passes" });
const text = '{"kind":"cniCacheV1","containerId":"c1","ifName":"eth0","networkName":"zone","result":{}}';

function adoptable(): Case {
  writeFile(file, text);
  const attachment = parseCachedResult(file, text);
  if (!isAttachment(attachment)) throw new Error("the fixture is no attachment");
  return {
    attachment,
    workload: workloadOf(attachment),
    proposal: { is: "adoptable", result: { cniVersion: "1.0.0" }, journal: undefined },
  };
}

test("a case that cannot be written says so, and nothing is thrown: the next case has its turn", async () => {
  const one = adoptable();
  writeFileSync(file, "new");
  const after = await adoptCase(at("cache"), one, passes);
  const error = `${file}: it changed meanwhile; run adopt again`;
  expect(after).toEqual({ ...one, proposal: { is: "unwritten", error } });
  expect(readFileSync(file, "utf8")).toBe("new");
});

test("an adoption that is taken back leaves the backup of the earlier one", async () => {
  const one = adoptable();
  await adoptCase(at("cache"), one, passes);
  const first = readFileSync(file, "utf8");
  const backup = readFileSync(kept, "utf8");
  const proposal = { is: "adoptable", result: {}, journal: undefined } as const;
  const again: Case = { ...one, attachment: { ...one.attachment, text: first }, proposal };
  await adoptCase(at("cache"), again, async () => ({ is: "fails", error: "wrong" }));
  expect(readFileSync(file, "utf8")).toBe(first);
  expect(readFileSync(kept, "utf8")).toBe(backup);
  expect(undo(at("cache"), () => true, asked)).toEqual([[file, "restored"]]);
  expect(readFileSync(file, "utf8")).toBe(text);
});

const fails: Verdict = { is: "fails", error: "no" };

test.each<[string, Verdict, Verdict, boolean, Map<string, string>, string[]]>([
  ["needs the new result", { is: "passes" }, fails, true, new Map([[file, "needed"]]), []],
  ["passes with both", { is: "passes" }, { is: "passes" }, true, new Map(), []],
  ["fails with both", fails, fails, true, new Map(), []],
  ["cannot be asked", fails, fails, false, new Map([[file, "unasked"]]), [`${file}: no`]],
  ["asks nobody", { is: "unchecked", why: "x" }, fails, false, new Map(), []],
])("undo asks whether the list in place %s", async (_, now, then, canAsk, kept, lines) => {
  const one = adoptable();
  await adoptCase(at("cache"), one, passes);
  const check = async ({ result }: CachedAttachment) => (result?.cniVersion === "1.0.0" ? now : then);
  const noted: string[] = [];
  const evidence = { check, canAsk: () => canAsk, note: (line: string) => noted.push(line) };
  expect(await keptResults(at("cache"), () => true, evidence)).toEqual(kept);
  expect(noted).toEqual(lines);
});

test.each([
  ["a result that is gone", undefined, text, true],
  ["a result that is not readable now", "{", text, true],
  ["a result that was not readable before", text, "{", true],
  ["a backup that cannot be read", text, undefined, true],
  ["a result that the operator did not name", text, text, false],
])("undo runs no CHECK for %s", async (_, now, before, isWanted) => {
  if (now !== undefined) writeFile(file, now);
  writeFile(kept, { before, after: "after" });
  const check = () => Promise.reject(new Error("CHECK ran"));
  const evidence = { check, canAsk: () => false, note: () => {} };
  expect(await keptResults(at("cache"), () => isWanted, evidence)).toEqual(new Map());
});

test("undo runs as many CHECKs at a time as the machine has processors", async () => {
  for (let count = 0; count < 3 * availableParallelism(); count++) {
    const of = text.replace("c1", `c${count}`);
    writeFile(at(`cache/results/zone-c${count}-eth0`), of);
    writeFile(at(`cache/adopted/zone-c${count}-eth0`), { before: of, after: of });
  }
  let running = 0;
  let most = 0;
  const check = async (): Promise<Verdict> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    return { is: "passes" };
  };
  await keptResults(at("cache"), () => true, { check, canAsk: () => true, note: () => {} });
  expect(most).toBe(availableParallelism());
});

test.each<[string, Verdict, string]>([
  ["fails", { is: "fails", error: "wrong" }, "wrong"],
  ["finds no namespace", { is: "gone" }, "its namespace is gone"],
  ["does not run", { is: "unchecked", why: "x" }, "CHECK did not run"],
])("a result whose second CHECK %s is taken back, with its kept, and the case is lost", async (_, verdict, error) => {
  const one = adoptable();
  const checked: CachedAttachment[] = [];
  const after = await adoptCase(at("cache"), one, async (attachment) => {
    checked.push(attachment);
    return verdict;
  });
  expect(checked).toEqual([{ ...one.attachment, result: { cniVersion: "1.0.0" } }]);
  expect(after).toEqual({ ...one, proposal: { is: "lost", error } });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(undo(at("cache"), () => true, asked)).toEqual([]);
});

test("a fault of the command itself is none of the case", async () => {
  const check = () => Promise.reject(new TypeError("x is not a function"));
  await expect(adoptCase(at("cache"), adoptable(), check)).rejects.toThrow("x is not a function");
});
