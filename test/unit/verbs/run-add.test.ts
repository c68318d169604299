import { describe, expect, test } from "vitest";
import type { Entry } from "../../../shared/journal/journal.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { del } from "../support/dels.ts";
import {
  type Call,
  callWrapper,
  commandsOf,
  exits,
  type Machine,
  messagesOf,
  type Outcome,
  ownNamespace,
} from "../support/fake-host.ts";
import {
  appearing,
  appending,
  cached,
  chainedOf,
  entriesIn,
  entryOf,
  givenUp,
  journal,
  journalFiles,
  linesIn,
  net1,
  tryOf,
  undoneLine,
  zoneOfBlue,
} from "../support/journals.ts";
import { blue } from "../support/requests.ts";
import { bridgeResult, macvlanResult } from "../support/results.ts";

const stdin = { cniVersion: "1.0.0", name: "zone" };
const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
const ofEth0 = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: blue }] };
const old = { path: "/run/netns/old", device: 4, inode: 1, changedMs: 0 };

test("a power loss cannot take a creator's entry, whose leases stay on the disk", () => {
  const { flushed } = callWrapper({ stdin }, { answers: [exits(0, macvlanResult)] });
  expect(flushed.map((line) => JSON.parse(line).line)).toEqual(["began"]);
  // Of a stray ADD, that is the entry that counts after it has passed.
  const files = { "/var/lib/cni/results/zone-blue-eth0": "{}" };
  const stray = callWrapper({ stdin }, { answers: [exits(0, macvlanResult)], links: [0, 8], files });
  expect(stray.flushed.flatMap(linesIn).map(({ line }) => line)).toEqual(["began", "given up", "began", "done"]);
});

test.each([
  ["bridge-wrapper", "3\n", true],
  ["bridge-wrapper", "1\n", undefined],
])("%s with addr_assign_type %j: whether the bridge's MAC stays is remembered as %j", (plugin, origin, expected) => {
  const call = { calledAs: `/opt/cni/bin/${plugin}`, stdin: { ...stdin, bridge: "disc0" } };
  const files = { "/sys/class/net/disc0/addr_assign_type": origin };
  const [entry] = entriesIn(callWrapper(call, { answers: [exits(0, macvlanResult)], files }).files[journal]);
  expect(entry?.done).toBeDefined();
  expect(entry?.done?.fixedMac).toBe(expected);
});

test("a chained plugin's ADD that was undone meanwhile: its DEL runs, and the ADD of a sibling that shares its rules", () => {
  const sibling = chainedOf("portmap", net1);
  const call = { calledAs: "/opt/cni/bin/portmap-wrapper", stdin: { ...stdin, prevResult: macvlanResult } };
  const answers = [exits(0, macvlanResult), exits(0)];
  const meanwhile = (files: Map<string, unknown>) => files.delete(journal);
  const outcome = callWrapper(call, { files: journalFiles(sibling), answers, meanwhile });
  expect(commandsOf(outcome)).toEqual(["ADD", "DEL", "ADD"]);
});

test("the ADD of the second of two portmaps leaves what the first one has just published", () => {
  const first = chainedOf("portmap", { wrapper: { ports: { only: [80] } } });
  const wrapper = { ports: { except: [80] } };
  const call = { calledAs: "/opt/cni/bin/portmap-wrapper", stdin: { ...stdin, wrapper, prevResult: macvlanResult } };
  const outcome = callWrapper(call, { files: journalFiles(first), answers: [exits(0, macvlanResult)] });
  expect(commandsOf(outcome)).toEqual(["ADD"]);
});

test.each<[string, unknown, Entry, readonly (number | undefined)[]]>([
  ["passes", macvlanResult, tryOf({ id: "next" }), [0, 8]],
  ["fails", "{", tryOf({ id: "next" }), [0, 8]],
  ["passes, and nobody knows what was there before", macvlanResult, entryOf({ id: "next" }), [undefined, 7]],
])(
  "an ADD that was undone meanwhile, and the next one has made its interface: %s: the interface, its lease and the journal stay",
  (_, stdout, next, links) => {
    const text = journalFiles(next)[journal];
    const meanwhile = (files: Map<string, unknown>) => files.set(journal, { text });
    const outcome = callWrapper({ stdin }, { answers: [exits(0, stdout), exits(0)], links, meanwhile });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 108 });
    expect(commandsOf(outcome)).toEqual(["ADD"]);
    expect(entriesIn(outcome.files[journal])).toMatchObject([{ id: "next", isGivenUp: false, isUndone: false }]);
  },
);

test.each([
  ["passes", exits(0, macvlanResult)],
  ["fails", exits(1)],
])(
  "an ADD that is given up meanwhile and %s waits until the next one has begun, which may have its interface and its lease",
  (_, answer) => {
    const next = journalFiles(tryOf({ id: "next" }))[journal];
    const meanwhile = appending((text) => (text.includes("given up") ? next : givenUp(linesIn(text)[0].id)));
    const outcome = callWrapper({ stdin }, { answers: [answer, exits(0)], links: [0, 8], meanwhile });
    expect(commandsOf(outcome)).toEqual(["ADD"]);
    expect(entriesIn(outcome.files[journal]).at(-1)).toMatchObject({ id: "next", isGivenUp: false });
  },
);

describe("an ADD beside an entry that may be in use", () => {
  const live = entryOf({ namespace: old });
  const stdinOf = { ...stdin, ipam: { type: "host-local" } };
  const addWith = (machine: Machine) =>
    callWrapper({ stdin: stdinOf }, { namespaces: { "/run/netns/old": 1 }, files: journalFiles(live), ...machine });

  test.each<[string, Entry, string[]]>([
    ["in another namespace is given up", live, ["given up"]],
    ["in the same namespace is undone", entryOf(), ["undone"]],
  ])("has passed: the other entry %s", (_, old, expected) => {
    const never = { ...stdinOf, wrapper: { recover: "never" } };
    const machine = { namespaces: { "/run/netns/old": 1 }, files: journalFiles(old), links: [0, 8] };
    const { files } = callWrapper({ stdin: never }, { ...machine, answers: [exits(0, macvlanResult)] });
    const ofOld = linesIn(files[journal]).filter(({ id, ids }) => id === old.id || ids?.includes(old.id));
    expect(ofOld.slice(2).map(({ line }) => line)).toEqual(expected);
  });

  test("fails if a DEL has undone it meanwhile", () => {
    const undo = (text: string) => undoneLine(entriesIn(text)[1]?.id ?? "");
    const meanwhile = appending((text) => (text.includes("undone") ? undefined : undo(text)));
    const outcome = addWith({ answers: [exits(0, macvlanResult), exits(0)], links: [0, 8], meanwhile });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 108 });
    expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
  });
});

describe("ptp, which gives its lease back if its interface is there", () => {
  const calledAs = "/opt/cni/bin/ptp-wrapper";
  const other = { network: "other", delegateNetwork: "zone" };
  const addBeside = (entry: Entry, links: readonly (number | undefined)[]) =>
    callWrapper({ calledAs, stdin }, { answers: [exits(1)], files: journalFiles(entry), links });

  test.each([
    ["a sibling's ADD runs for that interface", tryOf(other), [0]],
    ["a sibling's ADD has made that interface", entryOf(other), [7]],
    ["a sibling's ADD has made that interface since", entryOf(other), [0, 7]],
  ])("is not run if %s", (_, entry, links) => {
    const outcome = addBeside(entry, links);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 7 });
    expect(outcome.runs).toEqual([]);
    expect(outcome.files[journal]).toBeUndefined();
  });

  test.each([
    ["a sibling's ADD runs for another interface", tryOf({ ...other, ifName: "eth1" }), [0]],
    ["a sibling's ADD runs in another network", tryOf({ network: "other" }), [0]],
    ["a sibling's ADD has failed", tryOf({ ...other, failed: { left: 7 } }), [7]],
    ["the interface of a sibling is gone", entryOf(other), [0]],
    ["no interface can be seen", entryOf({ ...other, done: { addresses: [] } }), [undefined]],
  ])("is run if %s", (_, entry, links) => {
    expect(commandsOf(addBeside(entry, links))).toEqual(["ADD"]);
  });

  test.each([
    ["is run if recover is never, and its own ADD was cut off before it made the interface", 0, ["ADD"]],
    ["is not run if recover is never, and its own ADD was cut off after it made the interface", 7, []],
  ])("%s", (_, link, commands) => {
    const never = { ...stdin, wrapper: { recover: "never" } };
    const machine = { answers: [exits(1)], files: journalFiles(tryOf({ type: "ptp" })), links: [link] };
    expect(commandsOf(callWrapper({ calledAs, stdin: never }, machine))).toEqual(commands);
  });
});

describe("an ADD that would free the lease of the interface in its way", () => {
  const sibling = entryOf(net1);
  const made = sibling.done?.made ?? 0;
  const addWith = (entry: Entry, plugin = "ptp", link = made) => {
    const call = { calledAs: `/opt/cni/bin/${plugin}-wrapper`, stdin: { ...stdin, ipam: { type: "host-local" } } };
    const outcome = callWrapper(call, { files: journalFiles(entry), links: [link], answers: [exits(1)] });
    return commandsOf(outcome).length === 0 ? JSON.parse(outcome.stdout) : "runs";
  };

  test("is refused, beside a sibling and beside its own attachment", () => {
    const refused = (attachment: string) => {
      return { code: 7, details: expect.stringContaining(`bridge makes it, or has made it, for ${attachment}`) };
    };
    expect(addWith(sibling)).toMatchObject(refused("other, interface net1"));
    const own = entryOf({ uptime: 1, done: { made, addresses: [] } });
    expect(addWith(own)).toMatchObject(refused("zone, interface eth0"));
  });

  test("is refused beside a sibling that began while an earlier try was undone", () => {
    const calledAs = "/opt/cni/bin/ptp-wrapper";
    const files = journalFiles(tryOf({ type: "ptp", before: undefined }));
    const outcome = logged({ calledAs }, { files, links: [made], meanwhile: appearing(sibling) });
    expect(outcome.warnings).toContain("an earlier try was not completed: undoing it before ADD");
    expect(commandsOf(outcome)).toEqual(["DEL"]);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 7 });
  });

  test.each<[string, Entry, string?, number?]>([
    ["has another interface", entryOf({ ...sibling, done: { made: made + 1, addresses: [] } })],
    ["is given up", { ...sibling, isGivenUp: true }],
    ["is of another namespace", { ...sibling, namespace: { ...sibling.namespace, inode: 1 } }],
    ["is in the way of a plugin that looks at the name first", sibling, "bridge"],
  ])("runs if the other one %s", (_, entry, plugin, link) => {
    expect(addWith(entry, plugin, link)).toBe("runs");
  });
});

const unreadable = { [journal]: '{"line":"moved"}\n' };
const noBootId = { "/proc/sys/kernel/random/boot_id": "" };

test.each([{}, unreadable, noBootId])(
  "an ADD whose plugin would take an interface of that name for its own is refused, and leaves no entry: %j",
  (files) => {
    const call = { calledAs: "/opt/cni/bin/tap-wrapper", stdin };
    const outcome = callWrapper(call, { files, links: [7] });
    expect(commandsOf(outcome)).toEqual([]);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 7, msg: "interface name eth0 is taken" });
    expect(entriesIn(outcome.files[journal])).toEqual([]);
    for (const links of [[0, 8], []])
      expect(commandsOf(callWrapper(call, { files, links, answers: [exits(0, macvlanResult)] }))).toEqual(["ADD"]);
    expect(commandsOf(callWrapper({ stdin }, { files, links: [7], answers: [exits(1)] }))).toEqual(["ADD"]);
  },
);

test("the DEL of what an earlier try left runs once more with the list's configuration, if that is of the same plugin", () => {
  const answers = [exits(1), exits(0), exits(0, macvlanResult)];
  const files = journalFiles(entryOf({ isGivenUp: true }));
  expect(commandsOf(callWrapper({ stdin }, { files, answers, links: [7] }))).toEqual(["DEL", "DEL", "ADD"]);
  const call = { calledAs: "/opt/cni/bin/ptp-wrapper", stdin };
  const others = { files, answers: [exits(1), exits(0, macvlanResult)], links: [7, 7, 0] };
  expect(commandsOf(callWrapper(call, others)).slice(0, 2)).toEqual(["DEL", "ADD"]);
});

/** An ADD that logs its warnings. */
function logged(call: Call, machine: Machine) {
  const env = { ...call.env, CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
  const outcome = callWrapper({ stdin, ...call, env }, machine);
  return { ...outcome, warnings: messagesOf(outcome) };
}

describe("an ADD that nothing can remember", () => {
  const renamed = { stdin: { ...stdin, wrapper: { ifName: "eth1" } } };

  test.each([
    ["whose journal cannot be read", unreadable, "ADD undoes nothing, and remembers nothing of this attachment"],
    ["without the boot's id", noBootId, "nothing is remembered: cannot read the boot id"],
  ])("%s passes on the answer, spliced or failed, and says so", (_, files, words) => {
    const passed = logged(renamed, { files, answers: [exits(0, bridgeResult)] });
    expect(passed.warnings).toContain(words);
    expect(passed.exitCode).toBe(0);
    expect(JSON.parse(passed.stdout).interfaces).toHaveLength(3);
    const failed = logged(renamed, { files, answers: [exits(3, "failed"), exits(0)] });
    expect(failed).toMatchObject({ exitCode: 3, stdout: "failed" });
    expect(commandsOf(failed)).toEqual(["ADD"]);
    expect(entriesIn(passed.files[journal])).toEqual([]);
  });

  test("runs the plugin's DEL for its own interface if the answer is none", () => {
    const outcome = callWrapper(renamed, { files: unreadable, answers: [exits(0, "{"), exits(0)] });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 102 });
    const name = "zone-eth1";
    expect(outcome.runs).toMatchObject([
      { env: { CNI_COMMAND: "ADD", CNI_IFNAME: "eth1" }, path: "/opt/cni/bin/bridge", stdin: { name } },
      { env: { CNI_COMMAND: "DEL", CNI_IFNAME: "eth1" }, path: "/opt/cni/bin/bridge", stdin: { name } },
    ]);
  });
});

describe("an ADD that asks for the address that the attachment had", () => {
  const had = entryOf({ bootId: "earlier" });
  const addAfter = (entries: readonly Entry[], answers: Machine["answers"] = [], more: Call = {}) =>
    logged({ stdin: { ...stdin, ipam }, ...more }, { files: journalFiles(...entries), answers, links: [0, 0, 8] });
  const asked = ({ runs }: Outcome) => runs.map(({ env, stdin }) => [env.CNI_COMMAND, (stdin as JsonObject).args]);
  const ips = { cni: { ips: ["10.1.0.2/24"] } };

  test("runs again without asking if it fails, and undoes the first try", () => {
    const again = addAfter([had], [exits(0), exits(3), exits(0), exits(0, bridgeResult)]);
    expect(commandsOf(again)).toEqual(["DEL", "ADD", "DEL", "ADD"]);
    expect(asked(again).map(([, args]) => args)).toEqual([undefined, ips, undefined, undefined]);
    expect(again.exitCode).toBe(0);
    expect(again.files[journal]).not.toContain("\n\n");
    expect(again.warnings).toContain("attached before this boot: undoing it before ADD");
    expect(again.warnings).toContain("ADD failed with the addresses that the attachment had: trying again with others");
    const [, first, second] = entriesIn(again.files[journal]);
    expect(first).toMatchObject({ asked: ["10.1.0.2/24"], isUndone: true });
    expect(second).toMatchObject({ isGivenUp: false, done: { made: 8 }, id: expect.stringMatching(/-2$/) });
    expect(second?.asked).toBeUndefined();
  });

  test("passes on the second answer if that fails, too, and remembers what it left", () => {
    const failed = addAfter([had], [exits(0), exits(3), exits(0), exits(4, "second")]);
    expect(failed).toMatchObject({ exitCode: 4, stdout: "second" });
    expect(entriesIn(failed.files[journal])[2]).toMatchObject({ failed: { left: 8 }, isGivenUp: false });
  });

  test("does not ask beside an attachment that may be in use, nor if the runtime asks for one", () => {
    const live = entryOf({ uptime: 1, done: { made: 8, addresses: ["10.1.0.2/24"] } });
    expect(asked(addAfter([live], [exits(0, bridgeResult)]))).toEqual([["ADD", undefined]]);
    const env = { CNI_ARGS: "IP=10.1.0.9" };
    const asksItself = addAfter([had], [exits(0), exits(0, bridgeResult)], { env });
    expect(asked(asksItself)[1]).toEqual(["ADD", undefined]);
    expect(entriesIn(asksItself.files[journal]).at(-1)).not.toHaveProperty("asked");
  });
});

test("an ADD whose delegate was killed is remembered as failed, and its DEL is the runtime's", () => {
  const outcome = callWrapper({ stdin }, { answers: [{ ended: "signal", signal: "SIGKILL" }], links: [0, 8] });
  expect(commandsOf(outcome)).toEqual(["ADD"]);
  expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 101 });
  expect(entriesIn(outcome.files[journal])).toMatchObject([{ failed: { left: 8 }, isGivenUp: false }]);
});

test.each([
  ["nothing of the line", undefined],
  ["a part of the line", '{"line":"beg'],
])("an ADD whose journal cannot be written leaves no file that it has made, although the disk took %s", (_, text) => {
  const host = callWrapper({ stdin }, { writeProblem: "ENOSPC", files: text === undefined ? {} : { [journal]: text } });
  expect(JSON.parse(host.stdout)).toMatchObject({ code: 5, details: expect.stringContaining(`${journal}: ENOSPC`) });
  expect(host).toMatchObject({ runs: [], emptied: ["/var/lib/cni/wrappers/blue"] });
  expect(host.files).toEqual({});
});

test("an ADD whose answer the runtime does not get is undone at once, with the masquerading rules of its addresses", () => {
  const asked: unknown[] = [];
  let happened = 0;
  const meanwhile = () => void happened++;
  const ip = (...call: unknown[]) => String(asked.push(call));
  const outcome = callWrapper(
    { stdin: { ...stdin, ipMasq: true, wrapper: { ifName: "eth1" } } },
    { answers: [exits(0, bridgeResult), exits(0)], links: [0, 8], stdoutError: new Error("EPIPE"), ip, meanwhile },
  );
  expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
  // Once while each of them ran: it has not waited for a next ADD.
  expect(happened).toBe(2);
  expect(asked).toEqual([[["-force", "-batch", "-"], "address replace 172.26.64.2/20 dev eth1\n", "/run/netns/blue"]]);
  expect(outcome.files).toEqual({});
});

test("an ADD whose journal cannot be written leaves the entries of others", () => {
  const files = journalFiles(entryOf({ ifName: "eth1" }));
  expect(callWrapper({ stdin }, { writeProblem: "ENOSPC", files }).files).toEqual(files);
  // Too many files are open to read it.
  expect(callWrapper({ stdin }, { writeProblem: "EMFILE", files, unreadable: [journal] }).files).toEqual(files);
});

test("after a line that was cut off, ADD writes a line of its own", () => {
  const outcome = callWrapper({ stdin }, { files: { [journal]: '{"line":"beg' }, answers: [exits(0, macvlanResult)] });
  expect(entriesIn(outcome.files[journal])).toMatchObject([{ type: "bridge", done: {} }]);
});

test("a plugin that moves routes warns if they cannot be read", () => {
  const call = { calledAs: "/opt/cni/bin/sbr-wrapper", stdin: { ...stdin, prevResult: macvlanResult } };
  const outcome = logged(call, { answers: [exits(0, macvlanResult)] });
  expect(outcome.warnings).toEqual([
    "CHECK will not look for the moved routes: ADD cannot read them, are iproute2 (ip) and util-linux (nsenter) installed?",
  ]);
  expect(entriesIn(outcome.files[journal])[0]?.done).not.toHaveProperty("routing");
});

test("the entry has CNI_ARGS as the delegate gets them, and only what was made besides the interface", () => {
  const env = { CNI_ARGS: "IP=10.0.0.9;K8S_POD_NAME=web" };
  const call = { stdin: { ...stdin, wrapper: { ifName: "eth1" } }, env };
  const renamed = callWrapper(call, { answers: [exits(0, bridgeResult)] });
  expect(entriesIn(renamed.files[journal])).toMatchObject([{ args: "K8S_POD_NAME=web", first: true }]);
  expect(entriesIn(renamed.files[journal])[0]?.done).not.toHaveProperty("added");
});

const atThisMoment = Date.UTC(2030, 0, 2, 3, 4, 5);

function add(machine: Machine, call: Call = {}): Outcome {
  return callWrapper({ stdin, ...call }, { answers: [exits(0, macvlanResult), exits(0)], links: [0, 8], ...machine });
}

/** The lines that an ADD appends to the journal of these entries. */
function writtenBy({ files }: Outcome, ...before: readonly Entry[]): readonly Record<string, unknown>[] {
  return linesIn(files[journal]).slice(linesIn(journalFiles(...before)[journal]).length);
}

describe("the lines of an ADD", () => {
  const began = {
    ...{ line: "began", format: 1, ...zoneOfBlue },
    ...{ bootId: "11111111-2222-4333-8444-555555555555", uptime: 1000 },
    ...{ id: `4711-${atThisMoment}-1`, type: "bridge", role: "creator", ifName: "eth0", delegateNetwork: "zone" },
    ...{ path: "/opt/cni/bin/bridge", args: "K8S_POD_NAME=web", before: 0, first: true },
    namespace: { path: blue, device: 4, inode: ownNamespace, changedMs: 0 },
    checksum: expect.stringMatching(/^[\da-f]{8}$/),
    wrapper: { recover: "own" },
    configuration: { ...stdin, type: "bridge", bridge: "br0" },
  };
  const call = { stdin: { ...stdin, wrapper: began.wrapper, bridge: "br0" }, env: { CNI_ARGS: began.args } };
  const { id } = began;

  test("name no interface that is not there, and those that the plugin made besides its own", () => {
    const lo = { name: "lo", sandbox: blue };
    const added = { name: "eth0b", sandbox: blue };
    const interfaces = [...macvlanResult.interfaces, { name: "veth1" }, lo, added];
    const outcome = add({ links: [0], answers: [exits(0, { ...macvlanResult, interfaces })] }, call);
    const done = { line: "done", id, addresses: ["172.16.5.2/24"], added: [added] };
    expect(linesIn(outcome.files[journal])[1]).toEqual(done);
  });

  test("say what it left if it failed", () => {
    const outcome = add({ answers: [exits(1)] }, call);
    expect(linesIn(outcome.files[journal])).toEqual([began, { line: "failed", id, left: 8 }]);
  });

  test("name no interface of a namespace that has come to the path meanwhile", () => {
    const replaced = (answer: ReturnType<typeof exits>) =>
      add({ answers: [answer], meanwhile: (files) => files.set(blue, { text: "", modifiedMs: 5 }) }, call);
    expect(linesIn(replaced(exits(0, macvlanResult)).files[journal])[1]).not.toHaveProperty("made");
    expect(linesIn(replaced(exits(1)).files[journal])[1]).toEqual({ line: "failed", id });
  });

  test("of a chained plugin name the interfaces that it added to prevResult's", () => {
    const vrf0 = { name: "vrf0", sandbox: blue };
    const prevResult = { ...macvlanResult, interfaces: [...macvlanResult.interfaces, { name: "eth1", sandbox: blue }] };
    const answer = { ...macvlanResult, interfaces: [...macvlanResult.interfaces, vrf0] };
    const chained = { calledAs: "/opt/cni/bin/tuning-wrapper", stdin: { ...stdin, prevResult } };
    const outcome = add({ answers: [exits(0, answer)] }, chained);
    const [{ first, before, ...line }, done] = linesIn(outcome.files[journal]);
    expect([first, before]).toEqual([undefined, undefined]);
    expect(line).toMatchObject({ type: "tuning", role: "meta", configuration: { prevResult: macvlanResult } });
    expect(done).toEqual({ line: "done", id, addresses: [], added: [vrf0] });
  });

  test("of a later creator do not name the interfaces that prevResult has, in the same namespace", () => {
    const answerOf = (...names: string[]) => ({
      ...bridgeResult,
      interfaces: [...bridgeResult.interfaces, ...names.map((name) => ({ name, sandbox: blue }))],
    });
    const addedAfter = (...interfaces: object[]) => {
      const prevResult = { cniVersion: "1.0.0", interfaces };
      const renamed = { stdin: { ...stdin, wrapper: { ifName: "eth1" }, prevResult } };
      const { files } = add({ answers: [exits(0, answerOf("eth0", "eth5"))] }, renamed);
      return linesIn(files[journal])[1].added?.map(({ name }: { name: string }) => name);
    };
    expect(addedAfter({ name: "eth0", sandbox: blue }, { name: "eth5", sandbox: blue })).toBeUndefined();
    expect(addedAfter({ name: "eth0", sandbox: blue }, { name: "eth5", sandbox: "/run/netns/red" })).toEqual(["eth5"]);
    expect(addedAfter({ name: "eth0", sandbox: blue })).toEqual(["eth5"]);
  });
});

describe("an ADD beside what another call writes to the journal meanwhile", () => {
  test("passes beside an entry that may be in use, although it is given up until it has passed", () => {
    const live = entryOf({ namespace: old });
    const outcome = add({
      ...{ files: journalFiles(live), namespaces: { "/run/netns/old": 1 } },
      meanwhile: appending((text) => (text.includes(givenUp(live.id)) ? undefined : givenUp(live.id))),
    });
    expect(outcome.exitCode).toBe(0);
    expect(commandsOf(outcome)).toEqual(["ADD"]);
  });

  test("is undone at once if it failed and its own entry is given up, and leaves no journal", () => {
    const outcome = add({
      answers: [exits(3, "why"), exits(0)],
      meanwhile: appending((text) => (text.includes("given up") ? undefined : givenUp(linesIn(text)[0].id))),
    });
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "why" });
    expect(outcome.files).toEqual({});
    expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
  });

  test("does not run again with other addresses if its own entry is given up", () => {
    const had = entryOf({ bootId: "earlier" });
    const outcome = add(
      {
        files: journalFiles(had),
        answers: [exits(0), exits(3), exits(0)],
        links: [0, 0, 8],
        meanwhile: appending((text) => (linesIn(text).at(-1).asked ? givenUp(linesIn(text).at(-1).id) : undefined)),
      },
      { stdin: { ...stdin, ipam } },
    );
    expect(outcome.exitCode).toBe(3);
    expect(commandsOf(outcome)).toEqual(["DEL", "ADD", "DEL"]);
  });
});

describe("a stray ADD", () => {
  const live = chainedOf("tuning", { uptime: 1, done: { addresses: [] } });
  const lender = entryOf({ uptime: 1, isGivenUp: true });
  const never = { stdin: { ...stdin, wrapper: { recover: "never" } } };

  test("asks for no address, although an earlier entry lends one", () => {
    const { runs } = add({ files: journalFiles(lender, live) }, { stdin: { ...never.stdin, ipam } });
    expect(runs).toHaveLength(1);
    expect(runs[0]?.stdin).not.toHaveProperty("args");
  });

  test("writes its own lines, and none of an entry that is given up already", () => {
    const outcome = add({ files: journalFiles(lender, live) }, never);
    const [stray, givenUp, began, done, ...more] = writtenBy(outcome, lender, live);
    const id = stray?.id;
    expect(stray).toMatchObject({ line: "began", stray: true });
    expect(givenUp).toEqual({ line: "given up", ids: [id] });
    const { stray: _, ...whole } = stray ?? {};
    expect(began).toEqual(whole);
    expect(done).toEqual({ line: "done", id, made: 8, addresses: ["172.16.5.2/24"] });
    expect(more).toEqual([]);
  });

  test.each<[string, (number | undefined)[], string, string?]>([
    ["that left what it found has nothing to undo", [7, 7], "undone"],
    ["of an unknown plugin that left what it found may have left something else", [7, 7], "failed", "mark"],
    ["that made another interface has that to undo", [7, 8], "failed"],
    ["that found none, and left none, is still to be undone", [0, 0], "failed"],
    ["of which nobody knows what it found is still to be undone", [undefined, undefined], "failed"],
  ])("%s", (_, links, line, plugin = "bridge") => {
    const call = { ...never, calledAs: `/opt/cni/bin/${plugin}-wrapper` };
    const outcome = add({ files: journalFiles(lender, live), answers: [exits(1)], links }, call);
    expect(writtenBy(outcome, lender, live).at(-1)).toMatchObject({ line });
  });
});

test("a chained plugin's ADD undoes what its own earlier try left, and nothing before that", () => {
  const call = { calledAs: "/opt/cni/bin/tuning-wrapper", stdin: { ...stdin, prevResult: ofEth0 } };
  const failed = add({ files: journalFiles(entryOf()), answers: [exits(1)] }, call);
  const again = add({ files: failed.files, answers: [exits(0), exits(0, ofEth0)] }, call);
  expect(again.runs.map(({ path }) => path)).toEqual(Array(2).fill("/opt/cni/bin/tuning"));
  expect(commandsOf(again)).toEqual(["DEL", "ADD"]);
});

test("an ADD that passes and is then undone removes its interface, although an old result of another attachment names it", () => {
  const files = cached("other", "net1", ofEth0);
  const { runs } = add({ files, stdoutError: new Error("EPIPE"), answers: [exits(0, macvlanResult), exits(0)] });
  expect(runs.map(({ env }) => `${env.CNI_COMMAND} ${env.CNI_NETNS}`)).toEqual([`ADD ${blue}`, `DEL ${blue}`]);
});

const newer = journalFiles(entryOf())[journal]?.replace('"format":1', '"format":2');

test("the journal of an ADD that cannot write it stays if a newer version has written it meanwhile", () => {
  const outcome = add({
    ...{ files: journalFiles(entryOf({ bootId: "earlier" })), writeProblem: "ENOSPC" },
    meanwhile: (files) => files.set(journal, { text: newer, modifiedMs: 0 }),
  });
  expect(commandsOf(outcome)).toEqual(["DEL"]);
  expect(outcome.files).toEqual({ [journal]: newer });
});

describe("an ADD asks for the address that the attachment had", () => {
  const ips = { cni: { ips: ["10.1.0.2/24"] } };
  const askedBeside = (sibling: Partial<Entry>, had: Partial<Entry>) => {
    const files = journalFiles(
      entryOf({ bootId: "earlier", ...had }),
      tryOf({ ...net1, delegateNetwork: "zone", ...sibling }),
    );
    const answers = [exits(0), exits(0, macvlanResult)];
    const { runs } = add({ files, answers, links: [0] }, { stdin: { ...stdin, ipam } });
    return (runs.find(({ env }) => env.CNI_COMMAND === "ADD")?.stdin as { args?: object } | undefined)?.args;
  };

  const two = { done: { made: 7, addresses: ["10.1.0.2/24", "10.2.0.2/24"] } };

  test.each<[string, Partial<Entry>, object | undefined, Partial<Entry>?]>([
    ["may get it now", {}, undefined],
    ["has it", { done: { addresses: [] } }, undefined],
    ["began in an earlier boot", { bootId: "earlier" }, ips],
    ["began in a namespace that is gone", { namespace: old }, ips],
    ["has another IPAM plugin", { configuration: { ipam: { type: "static" } } }, ips],
    ["has another interface", { ifName: "eth1" }, ips],
    ["began in an earlier boot, and one of two is in no subnet", { bootId: "earlier" }, undefined, two],
  ])("if a sibling %s: %j", (_, sibling, expected, had = {}) => {
    expect(askedBeside(sibling, had)).toEqual(expected);
  });

  test("unless it is chained", () => {
    const given = { ...stdin, ipam, prevResult: ofEth0 };
    const files = journalFiles(entryOf({ uptime: 985, isGivenUp: true }));
    const { runs } = add({ files }, { calledAs: "/opt/cni/bin/mark-wrapper", stdin: given });
    expect(runs.at(-1)?.env.CNI_COMMAND).toBe("ADD");
    expect(runs.at(-1)?.stdin).not.toHaveProperty("args");
  });
});

test.each(["CHECK", "DEL"])("a journal that cannot be read is named in the log of %s", (CNI_COMMAND) => {
  const files = { [journal]: "no journal\n" };
  const outcome = logged({ env: { CNI_COMMAND }, stdin: { ...stdin, prevResult: ofEth0 } }, { files });
  expect(outcome.warnings).toContainEqual(expect.stringContaining(`${journal} cannot be read: `));
});

test("a line that lacked only its line break counts once DEL has written another one", () => {
  const entries = journalFiles(chainedOf("tuning"), entryOf({ ifName: "eth1" }), entryOf())[journal];
  const undone = '{"line":"undone","id":"tuning eth0"}\n{"line":"undone","id":"bridge eth1"}';
  const outcome = del("bridge", {}, { files: { [journal]: `${entries}${undone}` } });
  expect(outcome).toMatchObject({ exitCode: 0 });
  expect(outcome.files).toEqual({});
});

test("a journal that a newer version writes during a DEL stays", () => {
  const entries = [entryOf({ isGivenUp: true }), chainedOf("portmap", { isGivenUp: true })];
  const directories = { [journal.slice(0, journal.lastIndexOf("/"))]: 7 };
  const meanwhile = (files: Map<string, unknown>) => files.set(journal, { text: newer, modifiedMs: 0 });
  const { exitCode, files } = del("tuning", {}, { entries, directories, meanwhile });
  expect(exitCode).toBe(0);
  expect(files[journal]).toContain('"format":2');
});
