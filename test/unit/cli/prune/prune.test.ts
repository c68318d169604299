import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Memory, type MemoryFile } from "../../../../cli/host/memory.ts";
import { undoRemembered } from "../../../../cli/prune/detach.ts";
import type { Survey } from "../../../../cli/prune/findings.ts";
import { fileName, type Known, type Thing } from "../../../../cli/prune/known.ts";
import { cameBack, isBack, isGone, prune, remove } from "../../../../cli/prune/prune.ts";
import type { AttachmentState } from "../../../../cli/prune/state.ts";
import type { Entry } from "../../../../shared/journal/journal.ts";
import { scratch } from "../../../support/scratch.ts";
import { configOf } from "../../support/cached-results.ts";
import { entryOf } from "../../support/journals.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";
import { forwardOf, knownOf, leaseOf, onlyKnown, rememberedOf, resultOf, surveyWith } from "./support.ts";

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
  return onlyKnown([{ ...result, file }]);
}

function leaseAt(name = "10.1.0.2"): Thing {
  const [file, text] = [join(directory, name), "c1\r\neth0"];
  writeFileSync(file, text);
  return leaseOf("c1", "10.1.0.2", { where: file, network: undefined, removal: { by: "unlink", file, text } });
}

/** Prunes what a survey found. `look` finds what is left afterwards. */
async function pruneAll(before: Survey, look = () => before, more: Partial<Parameters<typeof prune>[1]> = {}) {
  const options = { isWanted: () => true, cniPath: [], seconds: 1, results: directory, look: async () => look() };
  const { rows, ...outcome } = await prune(before, { ...options, ...more });
  const fates = rows.map(({ finding, fate, why }) => [finding.thing.kind, fate, why]);
  return { ...outcome, rows, fates };
}

function findingOf(known: Known | undefined, thing: Thing) {
  return { thing, known, network: "zone", containerId: thing.containerId, why: undefined };
}

test.each<[string, () => Known | undefined, string | undefined, Partial<Thing>?]>([
  ["of a gone attachment goes", knownAt, undefined],
  ["whose container came back stays", () => knownAt("/proc/self/ns/net"), cameBack],
  ["whose container has another result by now stays", () => withAnotherResult(knownAt()), cameBack],
  ["of a container that has a result by now stays", () => void knownAt(), cameBack],
  ["that names no container stays", () => undefined, cameBack, { containerId: undefined }],
  ["that changed since it was read stays", () => changed(knownAt()), "it changed meanwhile"],
])("a file %s", async (_, known, why, more) => {
  const thing = { ...leaseAt(), ...more };
  expect(await remove(findingOf(known(), thing), directory, never)).toBe(why);
  expect(existsSync(thing.where)).toBe(why !== undefined);
});

test("a file of a container stays while nobody can tell whether it has a result", async () => {
  const [lease, loop] = [leaseAt(), join(directory, "loop")];
  symlinkSync("loop", loop);
  expect(await remove(findingOf(undefined, lease), loop, never)).toBe(cameBack);
  expect(existsSync(lease.where)).toBe(true);
});

function changed(known: Known): Known {
  writeFileSync(join(directory, "10.1.0.2"), "c9\r\neth0");
  return known;
}

function withAnotherResult(known: Known): Known {
  writeFileSync(known.result?.file ?? "", "another");
  return known;
}

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
  expect(await removing).toBe(cameBack);
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
    writeFile(file(), memory.text);
    return onlyKnown([], [memory]);
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
    const result = resultOf("c1", "10.1.0.2", { netns: "/proc/self/ns/net" });
    expect(isBack(onlyKnown([result], remembered().remembered))).toBe(true);
  });

  test("a thing of a container that got a journal meanwhile stays", async () => {
    const thing = leaseAt();
    remembered();
    expect(await remove(findingOf(undefined, thing), join(directory, "none"), never)).toBe(cameBack);
  });

  test("the directory of a container's journals goes with the last one, and no other directory does", async () => {
    const known = remembered();
    const text = known.remembered[0]?.text ?? "";
    const removal = { by: "unlink", file: "/var/lib/cni/wrappers/c1/zone:eth0", text } as const;
    expect(await remove(findingOf(known, { ...leaseAt(), removal }), directory, never)).toBeUndefined();
    expect(existsSync(dirname(file()))).toBe(false);
    mkdirSync(join(directory, "other"));
    expect(await remove(findingOf(knownAt(), leaseAt("other/10.1.0.2")), directory, never)).toBeUndefined();
    expect(existsSync(join(directory, "other"))).toBe(true);
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
    writeProgram(join(directory, "acme"), `env >> ${log}\n${answer}`);
    return () => existsSync(log);
  }

  test("a plugin that undoes a journal gets the directories of plugins, and this process's environment", () => {
    setVariable("HOME", "/its/home");
    plugin();
    expect(undoRemembered(remembered(), ["/none", directory])).toEqual([]);
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
    const { failed } = await pruneAll(survey, undefined, { cniPath: [directory] });
    expect(failed.map((one) => one.plugin)).toEqual(plugins);
    expect(isAsked()).toBe(plugins.length > 0);
  });
});

async function pruned(known: Known, after: (thing: Thing) => Partial<Survey>, state: AttachmentState = { is: "gone" }) {
  const thing = leaseAt();
  const states = new Map([[known, state]]);
  const surveys = [surveyWith({ states, things: [thing] }), surveyWith({ states, ...after(thing) })];
  const { fates } = await pruneAll(surveyWith({ states, things: [thing] }), () => surveys.shift() ?? surveyWith({}));
  return { fates, isThere: existsSync(thing.where) };
}

test("prune calls pruned what is gone afterwards, and no more", async () => {
  const known = knownAt();
  expect(await pruned(known, () => ({}))).toEqual({ fates: [["lease", "pruned", undefined]], isThere: false });
  const fates = async (state: AttachmentState) =>
    (await pruned(known, (thing) => ({ things: [thing], states: new Map([[known, state]]) }))).fates;
  expect(await fates({ is: "gone" })).toEqual([["lease", "left", "it is still there"]]);
  expect(await fates({ is: "unknown", why: "a reason" })).toEqual([["lease", "left", "a reason"]]);
  expect(await fates({ is: "live" })).toEqual([["lease", "left", cameBack]]);
});

test("prune tells of what DEL removed, and of what it left, as far as it is wanted", async () => {
  const states = new Map([[knownAt(), { is: "gone" } as const]]);
  const [byDel, left, other] = ["10.1.0.2", "10.1.0.3", "10.1.0.4"].map(leaseAt) as [Thing, Thing, Thing];
  const surveys = [surveyWith({ states, things: [left, other] }), surveyWith({ states, things: [other] })];
  const { rows } = await pruneAll(
    surveyWith({ states, things: [byDel, other] }),
    () => surveys.shift() ?? surveyWith({}),
    { isWanted: ({ thing }) => thing.where !== other.where },
  );
  expect(rows.map(({ finding, fate, why }) => [finding.thing.where, fate, why])).toEqual([
    [byDel.where, "pruned", undefined],
    [left.where, "pruned", undefined],
  ]);
  expect([left, other].map(({ where }) => existsSync(where))).toEqual([false, true]);
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
  if (!isSame) changed(known);
  const { fates, problems } = await pruneAll(before, survey);
  expect(fates.map(([kind, fate, why]) => [kind, fate, why?.replace(lease.where, "the lease")])).toEqual([
    ["result", fate, whyFiles],
    ["backup", fate, whyFiles],
    ["lease", fate, whyLease],
  ]);
  expect(things()).toHaveLength(isSame ? 0 : 3);
  // Of both looks after the first one.
  expect(problems).toEqual(["x", "x"]);
});

test.each<[string, () => unknown, string, string | undefined]>([
  ["goes", () => {}, "pruned", undefined],
  ["stays if its container has a result by now", knownAt, "left", cameBack],
])("a thing without an attachment %s", async (_, meanwhile, fate, why) => {
  const thing = { ...leaseAt(), network: "zone" };
  meanwhile();
  const survey = () => surveyWith({ things: existsSync(thing.where) ? [thing] : [] });
  expect((await pruneAll(survey(), survey)).fates).toEqual([["lease", fate, why]]);
  expect(existsSync(thing.where)).toBe(fate === "left");
});

test("prune leaves the rule of an address that a container got which may live", async () => {
  const other = knownOf("c9", "10.1.0.9");
  const ofOther: Thing = { ...leaseAt(), kind: "result", name: fileName(other), containerId: "c9", addresses: [] };
  const survey = surveyWith({
    states: new Map<Known, AttachmentState>([
      [knownAt(), { is: "gone" }],
      [other, { is: "unknown", why: "some reason" }],
    ]),
    things: [forwardOf("10.1.0.2"), ofOther],
    holdersOf: () => ["c9"],
  });
  expect((await pruneAll(survey)).fates).toEqual([
    ["result", "left", "some reason"],
    ["rule", "left", taken],
  ]);
});

test("prune tells the rules of two containers in one chain apart", async () => {
  const knowns = [knownOf("c1", "10.1.0.2"), knownOf("c2", "10.1.0.3")];
  const states = new Map(knowns.map((known) => [known, { is: "gone" } as const]));
  const names = ["hostport:c1", "hostport:c2"];
  const things = names.map((name): Thing => ({ ...leaseAt(), kind: "rule", where: "nft ip cni_hostport x", name }));
  const { rows } = await pruneAll(surveyWith({ states, things }));
  expect(rows.map(({ finding }) => finding.thing.name)).toEqual(names);
});

test("prune leaves what may be alive", async () => {
  const unknown = { is: "unknown", why: "some reason" } as const;
  const left = await pruned(knownAt(), (thing) => ({ things: [thing] }), unknown);
  expect(left).toEqual({ fates: [["lease", "left", "some reason"]], isThere: true });
});

/** What bridge reads on stdin in a prune of an attachment, and what becomes of its result. */
async function detached(
  parts: Partial<Survey>,
  { state = { is: "gone" } as AttachmentState, netns = "/nowhere/c1", exit = 0, type = "acme" } = {},
) {
  const [log, file] = [join(directory, "log"), join(directory, "zone-c1-eth0")];
  writeProgram(join(directory, type), `cat >> ${log}\necho '{"code":7,"msg":"no"}'\nexit ${exit}`);
  const result = { ...resultOf("c1", "10.1.0.2", { netns, config: configOf([{ type }]) }), file };
  writeFileSync(file, result.text);
  const known = onlyKnown([result]);
  const removal = { by: "unlink", file, text: result.text } as const;
  const thing = {
    ...leaseOf("c1", "10.1.0.2"),
    kind: "result",
    name: fileName(known),
    addresses: [],
    removal,
  } as const;
  const survey = surveyWith({ states: new Map([[known, state]]), things: [thing], ...parts });
  const { rows } = await pruneAll(survey, undefined, { cniPath: [directory], seconds: 10 });
  const why = rows.find(({ finding }) => finding.thing === thing)?.why;
  const asked = existsSync(log) ? JSON.parse(readFileSync(log, "utf8")).prevResult.ips.length : undefined;
  return { asked, isThere: existsSync(file), why };
}

test.each<[string, Parameters<typeof detached>[1], number | undefined]>([
  ["DEL for a gone attachment, and removes its result", {}, 1],
  ["no DEL for one that may be alive", { state: { is: "unknown", why: "some reason" } }, undefined],
  ["no DEL for one that came back", { netns: "/proc/self/ns/net" }, undefined],
])("prune runs %s", async (_, how, asked) => {
  expect(await detached({}, how)).toMatchObject({ asked, isThere: asked === undefined });
});

const info = { family: "inet" as const, local: "10.1.0.2", prefixlen: 24, scope: "global" };
const namespaces = [{ inode: 0, paths: ["/x"], links: [{ ifindex: 2, ifname: "eth0", addr_info: [info] }] }];
test.each<[string, Partial<Survey>, number]>([
  ["no address whose lease another container has", { holdersOf: () => ["c9"] }, 0],
  ["an address whose lease the container itself has", { holdersOf: () => ["c1"] }, 1],
  ["no address that is in a namespace", { namespaces }, 0],
])("DEL gets %s", async (_, parts, addresses) => {
  expect((await detached(parts)).asked).toBe(addresses);
});

test.each([
  ["acme", true],
  ["ptp", false],
])("if DEL fails, the result stays only if it tells what an unknown plugin left: %s", async (type, isThere) => {
  const why = isThere ? "only acme knows what it made, and its DEL failed: no" : "it is still there";
  expect(await detached({}, { exit: 1, type })).toMatchObject({ isThere, why });
});
