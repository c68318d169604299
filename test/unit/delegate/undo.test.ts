import { describe, expect, test } from "vitest";
import { logOf } from "../../../shared/call/session.ts";
import { runRemoval, undoEntries, undoJournal } from "../../../shared/delegate/undo.ts";
import { awaitNext } from "../../../shared/delegate/undoing.ts";
import { Facts } from "../../../shared/journal/facts.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { del } from "../support/dels.ts";
import { callWrapper, environment, exits, type Machine, type Run, sessionOn } from "../support/fake-host.ts";
import {
  appearing,
  chainedOf,
  entryOf,
  everything,
  journal,
  journalFiles,
  linesIn,
  net1,
  tryOf,
  undone,
  zoneOfBlue,
} from "../support/journals.ts";
import { blue } from "../support/requests.ts";
import { bridgeResult } from "../support/results.ts";

const failure = exits(1, { code: 7, msg: "no" });
const masquerading = { type: "bridge", name: "zone", ipMasq: true };

/** Prepares the undo of a journal with these entries. `seen` and `warnings` return what it did. */
function undoing(entries: readonly Entry[], machine: Machine = {}) {
  const files = { ...journalFiles(...entries), ...machine.files };
  // As in GC, which is for no container.
  const { session, seen } = sessionOn({ links: [7], ...machine, files }, { env: { CNI_CONTAINERID: "" } });
  const log = logOf({ CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" }, {});
  const facts = new Facts(session.host);
  const undo = { session: { ...session, log }, facts, journal: facts.journal(zoneOfBlue), netns: blue };
  /** The warnings in the log. */
  const warnings = () =>
    seen()
      .log.map(({ line }): JsonObject => JSON.parse(line))
      .filter(({ level }) => level === "warn");
  return { undo, seen, warnings };
}

/** What a delegate got. */
const got = ({ env, stdin }: Run) => ({ env, stdin });

describe("an undone journal", () => {
  test("tells which entries failed and why, and was given up before the first DEL", () => {
    const chained = [chainedOf("tuning"), chainedOf("portmap")];
    const entries = [entryOf({ ifName: "eth1", ...undone }), entryOf(), ...chained];
    const before: unknown[] = [];
    const meanwhile = (files: Map<string, unknown>) => before.push((files.get(journal) as { text: string }).text);
    const { undo, seen, warnings } = undoing(entries, { answers: [exits(0), failure], meanwhile });
    const failed = undoJournal(undo);
    expect(failed.map(({ entry, why }) => [entry.id, why])).toEqual([
      ["tuning eth0", "no"],
      ["bridge eth0", "no"],
    ]);
    const ids = ["bridge eth0", "tuning eth0", "portmap eth0"];
    expect(linesIn(String(before[0])).at(-1)).toEqual({ line: "given up", ids });
    expect(linesIn(seen().files[journal]).at(-1)).toEqual({ line: "undone", id: "portmap eth0" });
    const warning = (delegate: string) => {
      const message = `cannot undo ${delegate} of eth0, the next ADD or DEL tries again: no`;
      return { message, delegate, ifName: "eth0" };
    };
    expect(warnings()).toMatchObject([warning("tuning"), warning("bridge")]);
    expect(seen().flushed).toEqual([]);
  });

  test("that cannot be read any more tells nothing new: what was undone before is not undone again", () => {
    const entries = [entryOf(undone), entryOf({ ifName: "eth1" }), chainedOf("tuning")];
    const machine: Machine = { directories: { [journal]: 7 }, meanwhile: (files) => files.delete(journal) };
    const { undo, seen } = undoing(entries, machine);
    expect(undoJournal(undo)).toEqual([]);
    expect(seen().runs.map(({ env }) => env.CNI_IFNAME)).toEqual(["eth0", "eth1"]);
  });
});

test("a line for a journal that another call has removed meanwhile is no problem", () => {
  let reads = 0;
  const { undo, warnings } = undoing([entryOf(), chainedOf("tuning")]);
  const host = { ...undo.session.host, appendJournal: () => (reads++ === 0 ? "ENOENT" : "EROFS") };
  const entries = undo.journal.entries.slice(1);
  undoEntries({ ...undo, session: { ...undo.session, host } }, entries);
  expect(warnings().map(({ message }) => message)).toEqual(["cannot write the journal: EROFS"]);
});

describe("a DEL that failed", () => {
  const ipam = { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24", gateway: "10.2.0.1" }]] };
  const gateways = { type: "bridge", name: "zone", ipam };
  const without = { ...ipam, gateway: null, ranges: [[{ subnet: "10.1.0.0/24", gateway: null }]] };
  const listed = { type: "bridge", ipam };

  test("and passed with the list's configuration does not run without gateways", () => {
    const files = journalFiles(entryOf({ configuration: gateways }));
    const { runs, exitCode } = del("bridge", listed, { files, answers: [failure, exits(0), exits(1)] });
    expect([runs.length, exitCode]).toEqual([2, 0]);
  });

  test("has no gateways to leave out if it keeps the lease: a sibling has it", () => {
    const sibling = entryOf({ ...net1, delegateNetwork: "zone", configuration: gateways });
    const files = journalFiles(entryOf({ configuration: gateways }), sibling);
    const { runs, exitCode } = del("bridge", listed, { files, answers: [failure] });
    expect(runs.map(({ stdin }) => (stdin as JsonObject).ipam)).toEqual([{ type: "static" }, { type: "static" }]);
    expect(exitCode).toBe(1);
  });

  test("and passes without gateways stays given up if a sibling shares its masquerading", () => {
    const configuration = { ...gateways, ipMasq: true };
    const sibling = entryOf({ ...net1, delegateNetwork: "zone", ifName: "eth1", configuration });
    const files = journalFiles(entryOf({ configuration }), sibling);
    const answers = [failure, failure, failure, exits(0)];
    const outcome = del("bridge", { ...listed, ipMasq: true }, { files, answers });
    expect(outcome.runs.map(({ stdin }) => (stdin as JsonObject).ipam)).toEqual([ipam, ipam, ipam, without]);
    expect(linesIn(outcome.files[journal]).map(({ line }) => line)).toEqual(["began", "done", "given up"]);
  });

  test("does not run with the list's configuration if a sibling has got the interface and the lease by now", () => {
    const sibling = entryOf({ ...net1, delegateNetwork: "zone", done: { made: 8, addresses: [] } });
    const meanwhile = appearing(sibling);
    const answers = [exits(1, "first"), exits(0)];
    const outcome = del("bridge", {}, { entries: [entryOf()], answers, meanwhile, links: [7, 8] });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: "first", runs: [{}] });
  });

  test("of an earlier try runs once more with what the list has for that plugin now, in the network of then", () => {
    const files = journalFiles(tryOf({ delegateNetwork: "then", configuration: { type: "bridge", name: "then" } }));
    const answers = [failure, exits(0), exits(0, bridgeResult)];
    const stdin = { cniVersion: "1.0.0", name: "zone", type: "bridge-wrapper", token: "new" };
    const { runs } = callWrapper({ stdin }, { files, answers, links: [7] });
    const env = { ...environment, CNI_COMMAND: "DEL" };
    expect(runs.slice(0, 2).map(got)).toEqual([
      { env, stdin: { type: "bridge", name: "then" } },
      { env, stdin: { cniVersion: "1.0.0", name: "then", type: "bridge", token: "new" } },
    ]);
  });

  test("of a plugin that needs its interface is left out where that is gone, and else counts", () => {
    const runsAfter = (type: string, link: number) => {
      const entry = entryOf({ type, configuration: { type, name: "zone", ipam: { type: "host-local" } } });
      const { undo, seen } = undoing([entry], { links: [link] });
      undoJournal(undo);
      return seen().runs.map(({ path, env }) => `${path} ${env.CNI_NETNS}`);
    };
    expect(runsAfter("host-device", 0)).toEqual(["/opt/cni/bin/host-local "]);
    expect(runsAfter("host-device", 7)).toEqual([`/opt/cni/bin/host-device ${blue}`]);
    expect(runsAfter("mark", 0)).toEqual([`/opt/cni/bin/mark ${blue}`]);
  });
});

describe("masquerading rules", () => {
  /** The calls of ip(8), and the namespaces of the DELs. */
  function removed(entries: readonly Entry[], machine: Machine = {}) {
    const calls: string[] = [];
    const ip = (args: readonly string[], text: string, netns?: string) => {
      calls.push([...args, text, netns].filter(Boolean).join(" "));
      return "";
    };
    const { undo, seen } = undoing(entries, { ...machine, ip });
    undoJournal(undo);
    return { calls, netns: seen().runs.map(({ env }) => env.CNI_NETNS), lines: seen().files[journal] };
  }
  const entry = entryOf({ configuration: masquerading });
  const replaced = `-force -batch - address replace 10.1.0.2/24 dev eth0\n ${blue}`;
  const lent = /^\/run\/netns\/cni-wrappers-4711-\d+$/;

  test("are found by the interface's addresses, which it gets back", () => {
    expect(removed([entry])).toMatchObject({ calls: [replaced], netns: [blue] });
  });

  test.each<[string, Entry[]]>([
    ["that a sibling shares stay", [entry, { ...entry, ...net1, ifName: "eth1" }]],
    ["of an earlier boot are gone", [{ ...entry, bootId: "earlier" }]],
    ["of an attachment without masquerading are none", [entryOf()]],
  ])("%s, and no address is touched", (_, entries) => {
    expect(removed(entries).calls).toEqual([]);
  });

  const lease = { "/var/lib/cni/networks/zone/10.1.0.9": "blue\neth0" };
  const ofTry = tryOf({ configuration: masquerading, failed: { left: 7 } });

  test("of a failed ADD have the addresses that it leased, which the journal keeps: the DEL frees them first", () => {
    const { calls, lines } = removed([ofTry], { files: lease, answers: [failure] });
    expect(calls).toEqual([`-force -batch - address replace 10.1.0.9/32 dev eth0\n ${blue}`]);
    expect(linesIn(lines).slice(2)).toEqual([
      { line: "given up", ids: [ofTry.id] },
      { line: "failed", id: ofTry.id, left: 7, addresses: ["10.1.0.9/32"] },
    ]);
  });

  test.each<[string, Entry, Machine, string[]]>([
    ["passed", entry, {}, ["began", "done", "given up"]],
    ["leased nothing", ofTry, {}, ["began", "failed", "given up"]],
  ])("of an ADD that %s need no line in the journal", (_, one, machine, kinds) => {
    const { lines } = removed([one], { ...machine, answers: [failure] });
    expect(linesIn(lines).map(({ line }) => line)).toEqual(kinds);
  });

  test.each<[string, Machine, boolean]>([
    ["is gone", { links: [0] }, true],
    ["cannot be read, and its namespace is gone since the call began", { links: [undefined], noNamespace: true }, true],
    ["cannot be read", { links: [undefined] }, false],
  ])("of an interface that %s: the DEL gets another namespace: %s", (_, machine, isLent) => {
    const { undo, seen } = undoing([entry], { ...machine, ip: () => "" });
    const call = { delegate: "bridge", environment: { CNI_NETNS: blue }, configuration: masquerading };
    runRemoval(undo, entry, { call, removal: everything });
    expect(seen().runs.map(({ env }) => lent.test(env.CNI_NETNS ?? ""))).toEqual([isLent]);
  });
});

describe("the rules of macspoofchk", () => {
  const configuration = { ...masquerading, ipMasq: false, macspoofchk: true };
  const checked = entryOf({ configuration });
  const old = { ...checked, namespace: { ...checked.namespace, inode: 1 } };
  const sibling = entryOf({ ...net1, delegateNetwork: "other", configuration });

  test.each<[string, readonly Entry[], boolean]>([
    ["are found by their names in another namespace if their own is gone", [old], true],
    ["that a sibling has under the same name stay", [old, sibling], false],
    ["are none without the option", [{ ...old, configuration: { ...configuration, macspoofchk: false } }], false],
    ["of a plugin without them are none", [{ ...old, type: "ptp" }], false],
  ])("%s", (_, entries, isLent) => {
    const { undo, seen } = undoing(entries, { ip: () => "" });
    undoJournal(undo);
    const [del] = seen().runs;
    expect(String(del?.env.CNI_NETNS).startsWith("/run/netns/cni-wrappers-")).toBe(isLent);
  });
});

describe("the addresses of a failed ADD's rules are kept in the journal", () => {
  const lease = { text: "blue\neth0", modifiedMs: 0 };
  const meanwhile = (files: Map<string, unknown>) => files.set("/var/lib/cni/networks/zone/10.1.0.9", lease);
  const failedLine = (stdin: JsonObject, machine: Machine = {}) => {
    const call = { stdin: { cniVersion: "1.0.0", name: "zone", type: "bridge", ...stdin } };
    const { files } = callWrapper(call, { answers: [failure], links: [0, 7], meanwhile, ...machine });
    return linesIn(files[journal]).at(-1);
  };
  const failed = { line: "failed", id: expect.any(String) };

  test("and were leased after others were looked for: an earlier try was undone in the same call", () => {
    let runs = 0;
    const earlier = tryOf({ configuration: masquerading, failed: { left: 7 } });
    const second = (all: Map<string, unknown>) => (runs++ === 1 ? meanwhile(all) : all);
    const machine = { files: journalFiles(earlier), answers: [exits(0), failure], links: [7], meanwhile: second };
    expect(failedLine({ ipMasq: true }, { ...machine, links: [7, 7, 7, 0, 7] })).toMatchObject({
      line: "failed",
      addresses: ["10.1.0.9/32"],
    });
  });

  test("and are those of the interface that it left, if it has freed its lease", () => {
    const ip = (args: readonly string[], _: string, netns?: string) =>
      `${args} ${netns}` === `-json,address,show,dev,eth0 ${blue}` ? JSON.stringify(shown) : undefined;
    const shown = [
      {},
      {
        ifname: "eth0",
        addr_info: [
          { scope: "global", local: "10.1.0.9", prefixlen: 24 },
          { scope: "link", local: "fe80::1", prefixlen: 64 },
          { scope: "global", local: "fd00::9", prefixlen: 64 },
        ],
      },
    ];
    const addresses = (machine: Machine) => failedLine({ ipMasq: true }, { meanwhile: () => {}, ip, ...machine });
    expect(addresses({})).toMatchObject({ left: 7, addresses: ["10.1.0.9/24", "fd00::9/64"] });
    // A lease says which addresses are the attachment's own.
    expect(addresses({ meanwhile })).toMatchObject({ left: 7, addresses: ["10.1.0.9/32"] });
    for (const machine of [{ links: [0] }, { links: [7] }, { ip: () => undefined }, { ip: () => "no JSON" }])
      expect(addresses(machine)).toMatchObject({ addresses: [] });
  });

  test("and are unknown if its interface cannot be read, and a sibling has the lease and the rules", () => {
    const files = journalFiles(entryOf({ ...net1, delegateNetwork: "zone", configuration: masquerading }));
    expect(failedLine({ ipMasq: true }, { files, links: [undefined] })).toEqual(failed);
  });
});

describe("the ADD of a sibling whose rules a DEL has removed as well", () => {
  const other = "/run/netns/other";
  const siblings = ["net1", "net2"].map((runtimeIfName) =>
    chainedOf("portmap", {
      ...{ id: runtimeIfName, network: "other", runtimeIfName, args: `K=${runtimeIfName}` },
      namespace: { path: other, device: 4, inode: 7, changedMs: 0 },
      configuration: { type: "portmap", name: runtimeIfName },
    }),
  );
  const own = { env: { ...environment, CNI_COMMAND: "DEL" }, stdin: chainedOf("portmap").configuration };
  const again = (name: string, command = "ADD") => ({
    env: { ...environment, CNI_COMMAND: command, CNI_NETNS: other, CNI_ARGS: `K=${name}` },
    stdin: { type: "portmap", name },
  });
  const files = journalFiles(chainedOf("portmap"), ...siblings);

  /** What runs for the last entry's undo. Before the run with a number ends, a sibling is given up. */
  function runsOf(machine: Machine, givenUpIn?: number, name = "net1") {
    let runs = 0;
    const meanwhile = (all: Map<string, unknown>) => {
      const file = `/var/lib/cni/wrappers/blue/other:${name}`;
      const text = `${files[file]}{"line":"given up","ids":["${name}"]}\n`;
      if (runs++ === givenUpIn) all.set(file, { text, modifiedMs: 0 });
    };
    const given = { ...machine, namespaces: { [other]: 7 }, meanwhile };
    const { undo, seen, warnings } = undoing([chainedOf("portmap"), ...siblings], given);
    expect(undoJournal(undo)).toEqual([]);
    return { runs: seen().runs.map(got), messages: warnings().map(({ message }) => message) };
  }
  const shares = "portmap of other shares the removed rules: running its ADD again";

  test("is undone again if it is given up meanwhile, and the others' ADDs run once more", () => {
    const runs = [own, again("net1"), again("net1", "DEL"), again("net2"), again("net2")];
    expect(runsOf({}, 1)).toEqual({ runs, messages: [shares, shares, shares] });
    const second = [own, again("net1"), ...runs.slice(1)];
    expect(runsOf({ answers: [exits(0), failure, exits(0)] }, 2).runs).toEqual(second);
    const failed = [own, again("net1"), again("net1"), again("net2")];
    expect(runsOf({ answers: [exits(0), failure, failure, exits(0)] }, 2).runs).toEqual(failed);
  });

  test("is named if its DEL cannot run, and each time that it cannot itself", () => {
    const killed = { ended: "signal", signal: "SIGKILL" } as const;
    const { messages } = runsOf({ answers: [exits(0), exits(0), killed, exits(0)] }, 1);
    expect(messages).toEqual([shares, expect.stringMatching(/^its DEL failed: .*portmap/), shares]);
    const failed = expect.stringMatching(/^its ADD failed: .*portmap/);
    const each = [shares, failed, failed];
    expect(runsOf({ answers: [exits(0), killed] }).messages).toEqual([...each, ...each]);
  });
});

describe("an ADD whose entry was given up waits for the next ADD to begin its own", () => {
  const own = tryOf({ isGivenUp: true });
  const next = tryOf({ id: "next" });
  const other = entryOf({ id: "earlier", ifName: "eth1" });
  const waiting = (texts: readonly (Readonly<Record<string, string>> | undefined)[]) => {
    const { undo } = undoing([other, own]);
    let slept = 0;
    const read = () => texts[Math.min(slept, texts.length - 1)]?.[journal];
    const facts = new Facts({ ...undo.session.host, readFile: read });
    const sleep = (ms: number) => {
      slept += ms / 50;
    };
    const host = { ...undo.session.host, sleep };
    awaitNext({ ...undo, facts, session: { ...undo.session, host } }, own);
    return slept;
  };
  const before = journalFiles(other, own);

  test.each([
    ["it has begun already", [journalFiles(other, own, next)], 0],
    ["it begins later", [before, before, journalFiles(other, { ...own, isUndone: true }, next)], 2],
    ["it has begun in a journal of its own", [journalFiles(next)], 0],
    ["a DEL removes the journal", [before, undefined], 1],
    ["what began later is given up, too", [journalFiles(own, { ...next, isGivenUp: true })], 20],
  ] as const)("%s", (_, texts, times) => {
    expect(waiting(texts)).toBe(times);
  });
});
