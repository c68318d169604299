import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Memory, type MemoryFile } from "../../../../cli/host/memory.ts";
import { undoRemembered } from "../../../../cli/prune/detach.ts";
import type { Survey } from "../../../../cli/prune/findings.ts";
import { fileName, type Known, knownsIn } from "../../../../cli/prune/known.ts";
import { prune } from "../../../../cli/prune/prune.ts";
import { isBack, isGone, remove } from "../../../../cli/prune/remove.ts";
import type { AttachmentState } from "../../../../cli/prune/state.ts";
import type { Thing } from "../../../../cli/prune/thing.ts";
import type { Entry } from "../../../../shared/journal/journal.ts";
import { scratch } from "../../../support/scratch.ts";
import { entryOf } from "../../support/journals.ts";
import { redirect } from "../../support/redirected.ts";
import { forwardOf, rememberedOf, resultOf, surveyWith } from "./support.ts";

const directory = scratch();
beforeEach(() => {
  for (const name of ["__VERSION__", "__COMMIT__"]) vi.stubGlobal(name, "1.2.3");
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const never = () => false;
const taken = "another container has its address now";

/** An attachment with a result on the disk, and no list: no plugin runs. */
function knownAt(netns = "/nowhere/c1"): Known {
  const result = { ...resultOf("c1", "10.1.0.2", { netns }), list: undefined, netns };
  const file = join(directory, "zone-c1-eth0");
  writeFileSync(file, result.text);
  const [known] = knownsIn([{ ...result, file }], []);
  if (!known) throw new Error("there is no attachment");
  return known;
}

function leaseAt(text = "c1\r\neth0"): Thing {
  const file = join(directory, "10.1.0.2");
  writeFileSync(file, text);
  const removal = { by: "unlink", file, text } as const;
  return {
    kind: "lease",
    where: file,
    name: "lease:zone:c1:eth0",
    containerId: "c1",
    addresses: ["10.1.0.2"],
    removal,
  };
}

function findingOf(known: Known | undefined, thing: Thing) {
  return { thing, known, network: "zone", containerId: thing.containerId, why: undefined };
}

test("an attachment is gone as long as its result is as it was, and its namespace is not there", () => {
  const known = knownAt();
  expect(isGone(known)).toBe(true);
  writeFileSync(known.result?.file ?? "", "{}");
  expect(isGone(known)).toBe(false);
  expect(isGone(knownAt("/proc/self/ns/net"))).toBe(false);
});

test("a file of a gone attachment is removed", async () => {
  const thing = leaseAt();
  expect(await remove(findingOf(knownAt(), thing), directory, never)).toBeUndefined();
  expect(existsSync(thing.where)).toBe(false);
});

test.each<[string, () => Known | undefined, string]>([
  ["whose container came back", () => knownAt("/proc/self/ns/net"), "its container came back meanwhile"],
  ["of a container that has a result by now", () => void knownAt(), "its container came back meanwhile"],
])("a file %s stays", async (_, known, why) => {
  const thing = leaseAt();
  expect(await remove(findingOf(known(), thing), directory, never)).toBe(why);
  expect(existsSync(thing.where)).toBe(true);
});

test("a file that names no container stays", async () => {
  const thing = { ...leaseAt(), containerId: undefined };
  expect(await remove(findingOf(undefined, thing as unknown as Thing), directory, never)).toMatch(/came back/);
  expect(existsSync(thing.where)).toBe(true);
});

test("a file that changed since it was read stays", async () => {
  const thing = leaseAt();
  writeFileSync(thing.where, "c9\r\neth0");
  expect(await remove(findingOf(knownAt(), thing), directory, never)).toBe("it changed meanwhile");
  expect(existsSync(thing.where)).toBe(true);
});

test.each<[string, Partial<Thing>, string | undefined]>([
  ["a rule of an address that another container has by now stays", { name: "address:10.1.0.2" }, taken],
  ["also if it has more addresses", { name: "address:10.1.0.2", addresses: ["10.1.0.2", "10.1.0.3"] }, taken],
  ["and goes if nobody has it", { name: "address:10.1.0.3", addresses: ["10.1.0.3"] }, undefined],
  ["a lease has its container's name, too", {}, undefined],
])("%s", async (_, more, why) => {
  const thing = { ...leaseAt(), ...more };
  const isTaken = (address: string) => address === "10.1.0.2";
  expect(await remove(findingOf(knownAt(), thing), directory, isTaken)).toBe(why);
  expect(existsSync(thing.where)).toBe(why !== undefined);
});

test("a lease stays if its container comes back while its lock is waited for, and if there is no lock", async () => {
  const thing = leaseAt();
  const lockedBy = (lock: string): Thing => ({ ...thing, removal: { ...thing.removal, lock } as Thing["removal"] });
  const removing = remove(findingOf(undefined, lockedBy(join(directory, "lock"))), directory, never);
  writeFileSync(join(directory, "zone-c1-eth0"), "");
  expect(await removing).toBe("its container came back meanwhile");
  const lock = join(directory, "none/lock");
  const why = await remove(findingOf(knownAt(), lockedBy(lock)), directory, never);
  expect(why).toBe(`host-local's lock cannot be had: ${lock}`);
  expect(existsSync(thing.where)).toBe(true);
});

describe("with a journal", () => {
  const entry = entryOf({
    containerId: "c1",
    type: "acme",
    path: "",
    namespace: { path: "/none", device: 4, inode: 5 },
  });
  const file = () => join(directory, "wrappers/c1/zone:eth0");

  /** An attachment with the journal of an entry, which the tests find in place of this machine's. */
  function remembered(more: Partial<Entry> = {}): Known {
    redirect("/var/lib/cni", directory);
    const memory = rememberedOf({ ...entry, ...more });
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), memory.text);
    const [known] = knownsIn([], [memory]);
    if (!known) throw new Error("there is no attachment");
    return known;
  }

  test("an attachment is gone until its journal is another one", () => {
    const known = remembered();
    expect(isGone(known)).toBe(true);
    writeFileSync(file(), "another");
    expect(isGone(known)).toBe(false);
    rmSync(file());
    expect(isGone(known)).toBe(true);
  });

  test("it is back if one of its paths is there", () => {
    const [known] = knownsIn([resultOf("c1", "10.1.0.2", { netns: "/proc/self/ns/net" })], remembered().remembered);
    expect(known && isBack(known)).toBe(true);
  });

  test("a thing of a container that got a journal meanwhile stays", async () => {
    const thing = leaseAt();
    remembered();
    expect(await remove(findingOf(undefined, thing), join(directory, "none"), never)).toMatch(/came back/);
  });

  test("the directory of a container's journals goes with the last one, and no other directory does", async () => {
    const known = remembered();
    const journal = {
      by: "unlink",
      file: "/var/lib/cni/wrappers/c1/zone:eth0",
      text: known.remembered[0]?.text,
    } as const;
    const thing = { ...leaseAt(), removal: journal as Thing["removal"] };
    expect(await remove(findingOf(known, thing), directory, never)).toBeUndefined();
    expect(existsSync(dirname(file()))).toBe(false);
    const other = join(directory, "other/10.1.0.2");
    mkdirSync(dirname(other));
    writeFileSync(other, "");
    const removal = { by: "unlink", file: other, text: "" } as const;
    expect(await remove(findingOf(knownAt(), { ...thing, removal }), directory, never)).toBeUndefined();
    expect(existsSync(dirname(other))).toBe(true);
  });

  /** In the namespace of this process. */
  function here(): Partial<Entry> {
    const memory = new Memory();
    const { bootId = "" } = memory.moment() ?? {};
    return { bootId, namespace: memory.namespace("/proc/self/ns/net") ?? entry.namespace };
  }

  /** A plugin that notes its DELs. */
  function plugin(exit = 0): () => boolean {
    const log = join(directory, "log");
    const answer = `echo '{"code":7,"msg":"no"}'; exit ${exit}`;
    writeFileSync(join(directory, "acme"), `#!/bin/sh\nenv >> ${log}\n${answer}\n`, { mode: 0o755 });
    return () => existsSync(log);
  }

  test("a plugin that undoes a journal gets the directories of plugins, and this process's environment", () => {
    vi.stubEnv("HOME", "/its/home");
    plugin();
    expect(undoRemembered(remembered(), ["/none", directory])).toEqual([]);
    vi.unstubAllEnvs();
    const lines = readFileSync(join(directory, "log"), "utf8").split("\n");
    const variables = ["CNI_COMMAND=DEL", "CNI_NETNS=", `CNI_PATH=/none:${directory}`, "HOME=/its/home"];
    expect(lines).toEqual(expect.arrayContaining([...variables, `PATH=${process.env.PATH}`]));
  });

  test("a plugin that cannot undo its entry is told", () => {
    plugin(1);
    const known = remembered();
    const [failed, ...others] = undoRemembered(known, [directory]);
    expect(failed).toEqual({ known, plugin: "acme", error: expect.stringContaining("no"), isKnown: false });
    expect(others).toEqual([]);
  });

  test.each<[string, (memory: MemoryFile) => MemoryFile, boolean]>([
    ["that is whole is undone", (memory) => memory, true],
    ["that cannot be read as a whole is not", (memory) => ({ ...memory, journal: torn(memory) }), false],
    ["of 0.2.0 is not", (memory) => ({ ...memory, journal: undefined }), false],
  ])("a journal %s", (_, change, isUndone) => {
    const isAsked = plugin();
    const known = remembered();
    expect(undoRemembered({ ...known, remembered: known.remembered.map(change) }, [directory])).toEqual([]);
    expect(isAsked()).toBe(isUndone);
  });
  const torn = ({ journal }: MemoryFile) => journal && { ...journal, problem: "a torn line" };

  test.each([
    ["undoes a journal once, whatever is left of its attachment", () => ({}), ["acme"]],
    ["undoes none of a container that came back", here, []],
  ])("prune %s", async (_, more, plugins) => {
    const isAsked = plugin(1);
    const known = remembered(more());
    const things = [{ ...leaseAt(), name: fileName(known) }, leaseAt()];
    const survey = surveyWith({ states: new Map([[known, { is: "gone" }]]), things });
    const options = { isWanted: () => true, cniPath: [directory], seconds: 1, results: directory };
    const { failed } = await prune(survey, { ...options, look: async () => survey });
    expect(failed.map((one) => one.plugin)).toEqual(plugins);
    expect(isAsked()).toBe(plugins.length > 0);
  });
});

async function pruned(known: Known, after: (thing: Thing) => Partial<Survey>, state: AttachmentState = { is: "gone" }) {
  const thing = leaseAt();
  const states = new Map([[known, state]]);
  const surveys = [surveyWith({ states, things: [thing] }), surveyWith({ states, ...after(thing) })];
  const { rows } = await prune(surveyWith({ states, things: [thing] }), {
    look: async () => surveys.shift() ?? surveyWith({}),
    isWanted: () => true,
    cniPath: [],
    seconds: 1,
    results: directory,
  });
  return { fates: rows.map(({ fate, why }) => [fate, why]), isThere: existsSync(thing.where) };
}

test("prune calls pruned what is gone afterwards, and no more", async () => {
  const known = knownAt();
  expect(await pruned(known, () => ({}))).toEqual({ fates: [["pruned", undefined]], isThere: false });
  const fates = async (state: AttachmentState) =>
    (await pruned(known, (thing) => ({ things: [thing], states: new Map([[known, state]]) }))).fates;
  expect(await fates({ is: "gone" })).toEqual([["left", "it is still there"]]);
  expect(await fates({ is: "unknown", why: "a reason" })).toEqual([["left", "a reason"]]);
  expect(await fates({ is: "live" })).toEqual([["left", "its container came back meanwhile"]]);
});

test("prune tells of what DEL removed, and of what it left, as far as it is wanted", async () => {
  const known = knownAt();
  const states = new Map([[known, { is: "gone" } as const]]);
  const [byDel, left, other] = ["10.1.0.2", "10.1.0.3", "10.1.0.4"].map((name): Thing => {
    const file = join(directory, name);
    writeFileSync(file, name);
    return { ...leaseAt(), where: file, removal: { by: "unlink", file, text: name } };
  });
  if (!byDel || !left || !other) throw new Error("there is no lease");
  const surveys = [surveyWith({ states, things: [left, other] }), surveyWith({ states, things: [other] })];
  const { rows } = await prune(surveyWith({ states, things: [byDel, other] }), {
    look: async () => surveys.shift() ?? surveyWith({}),
    isWanted: ({ thing }) => thing.where !== other.where,
    ...{ cniPath: [], seconds: 1, results: directory },
  });
  expect(rows.map(({ finding, fate, why }) => [finding.thing.where, fate, why])).toEqual([
    [byDel.where, "pruned", undefined],
    [left.where, "pruned", undefined],
  ]);
  expect([left, other].map(({ where }) => existsSync(where))).toEqual([false, true]);
});

test("prune removes what goes without an attachment", async () => {
  const thing = { ...leaseAt(), network: "zone" };
  const surveys = [surveyWith({ things: [thing] })];
  const look = async () => surveys.shift() ?? surveyWith({});
  const options = { isWanted: () => true, cniPath: [], seconds: 1, results: join(directory, "none") };
  const { rows } = await prune(surveyWith({ things: [thing] }), { ...options, look });
  expect(rows.map(({ fate, why }) => [fate, why])).toEqual([["pruned", undefined]]);
});

test.each<[string, boolean, readonly (string | undefined)[]]>([
  ["go with all of it", true, ["pruned", undefined, undefined]],
  ["stay if something of it does", false, ["left", "it changed meanwhile", "something of it is left: the lease"]],
])("the files of an attachment %s", async (_, isSame, [fate, whyLease, whyFiles]) => {
  const known = knownAt();
  const lease = leaseAt();
  const fileOf = (kind: Thing["kind"], file: string, text: string): Thing => {
    return { ...lease, kind, where: file, name: fileName(known), removal: { by: "unlink", file, text } };
  };
  const result = fileOf("result", known.result?.file ?? "", known.result?.text ?? "");
  const backup = fileOf("backup", join(directory, "backup"), "");
  writeFileSync(backup.where, "");
  const things = () => [result, backup, lease].filter(({ where }) => existsSync(where));
  const survey = () => surveyWith({ states: new Map([[known, { is: "gone" }]]), things: things(), problems: ["x"] });
  const before = survey();
  if (!isSame) writeFileSync(lease.where, "c9\r\neth0");
  const options = { isWanted: () => true, cniPath: [], seconds: 1, results: directory };
  const { rows, problems } = await prune(before, { ...options, look: async () => survey() });
  expect(rows.map((row) => [row.finding.thing.kind, row.fate, row.why?.replace(lease.where, "the lease")])).toEqual([
    ["result", fate, whyFiles],
    ["backup", fate, whyFiles],
    ["lease", fate, whyLease],
  ]);
  expect(things()).toHaveLength(isSame ? 0 : 3);
  // Of both looks after the first one.
  expect(problems).toEqual(["x", "x"]);
});

test("prune leaves a thing without an attachment if its container has a result by now", async () => {
  const thing = { ...leaseAt(), network: "zone" };
  knownAt();
  const survey = surveyWith({ things: [thing] });
  const options = { isWanted: () => true, cniPath: [], seconds: 1, results: directory };
  const { rows } = await prune(survey, { ...options, look: async () => survey });
  expect(rows.map(({ fate, why }) => [fate, why])).toEqual([["left", "its container came back meanwhile"]]);
  expect(existsSync(thing.where)).toBe(true);
});

test("prune leaves the rule of an address that a container got which may live", async () => {
  const known = knownAt();
  const [other] = knownsIn([resultOf("c9", "10.1.0.9")], []);
  if (!other) throw new Error("there is no attachment");
  const ofOther: Thing = { ...leaseAt(), kind: "result", name: fileName(other), containerId: "c9", addresses: [] };
  const survey = surveyWith({
    states: new Map<Known, AttachmentState>([
      [known, { is: "gone" }],
      [other, { is: "unknown", why: "some reason" }],
    ]),
    things: [forwardOf("10.1.0.2"), ofOther],
    holdersOf: () => ["c9"],
  });
  const options = { isWanted: () => true, cniPath: [], seconds: 1, results: directory };
  const { rows } = await prune(survey, { ...options, look: async () => survey });
  expect(rows.map(({ finding, fate, why }) => [finding.thing.kind, fate, why])).toEqual([
    ["result", "left", "some reason"],
    ["rule", "left", taken],
  ]);
});

test("prune leaves what may be alive", async () => {
  const unknown = { is: "unknown", why: "some reason" } as const;
  const left = await pruned(knownAt(), (thing) => ({ things: [thing] }), unknown);
  expect(left).toEqual({ fates: [["left", "some reason"]], isThere: true });
});

/** What bridge reads on stdin in a prune of an attachment, and what becomes of its result. */
async function detached(
  parts: Partial<Survey>,
  { state = { is: "gone" } as AttachmentState, netns = "/nowhere/c1", exit = 0, type = "acme" } = {},
) {
  const [log, file] = [join(directory, "log"), join(directory, "zone-c1-eth0")];
  writeFileSync(join(directory, type), `#!/bin/sh\ncat >> ${log}\necho '{"code":7,"msg":"no"}'\nexit ${exit}\n`, {
    mode: 0o755,
  });
  const config = Buffer.from(`{"cniVersion":"1.0.0","name":"zone","plugins":[{"type":"${type}"}]}`).toString("base64");
  const result = { ...resultOf("c1", "10.1.0.2", { netns, config }), file };
  writeFileSync(file, result.text);
  const [known] = knownsIn([result], []);
  if (!known) throw new Error("there is no attachment");
  const removal = { by: "unlink", file, text: result.text } as const;
  const name = fileName(known);
  const thing: Thing = {
    kind: "result",
    where: file,
    name,
    network: "zone",
    containerId: "c1",
    addresses: [],
    removal,
  };
  const survey = surveyWith({ states: new Map([[known, state]]), things: [thing], ...parts });
  const { rows } = await prune(survey, {
    look: async () => survey,
    isWanted: () => true,
    cniPath: [directory],
    seconds: 10,
    results: directory,
  });
  const why = rows.find(({ finding }) => finding.thing === thing)?.why;
  const asked = existsSync(log) ? JSON.parse(readFileSync(log, "utf8")).prevResult.ips.length : undefined;
  return { asked, isThere: existsSync(file), why };
}

test("prune runs DEL for a gone attachment, and removes its result", async () => {
  expect(await detached({})).toMatchObject({ asked: 1, isThere: false });
});

test.each<[string, Parameters<typeof detached>[1]]>([
  ["may be alive", { state: { is: "unknown", why: "some reason" } }],
  ["came back", { netns: "/proc/self/ns/net" }],
])("prune runs no DEL for an attachment that %s", async (_, how) => {
  expect(await detached({}, how)).toMatchObject({ asked: undefined, isThere: true });
});

test.each<[string, readonly string[], number]>([
  ["another container", ["c9"], 0],
  ["the container itself", ["c1"], 1],
])("DEL gets an address if %s has its lease: %j", async (_, holders, addresses) => {
  expect((await detached({ holdersOf: () => holders })).asked).toBe(addresses);
});

test("DEL does not get an address that is in a namespace", async () => {
  const info = { family: "inet" as const, local: "10.1.0.2", prefixlen: 24, scope: "global" };
  const namespaces = [{ inode: 0, paths: ["/x"], links: [{ ifindex: 2, ifname: "eth0", addr_info: [info] }] }];
  expect((await detached({ namespaces })).asked).toBe(0);
});

test.each([
  ["acme", true],
  ["ptp", false],
])("if DEL fails, the result stays only if it tells what an unknown plugin left: %s", async (type, isThere) => {
  const why = isThere ? "only acme knows what it made, and its DEL failed: no" : "it is still there";
  expect(await detached({}, { exit: 1, type })).toMatchObject({ isThere, why });
});
