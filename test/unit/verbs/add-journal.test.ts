import { describe, expect, test } from "vitest";
import { type Entry, journalFile } from "../../../shared/journal/journal.ts";
import { linesText } from "../../../shared/journal/lines.ts";
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
import { chainedOf, entryOf, journal, journalFiles, linesIn, net1, tryOf, zoneOfBlue } from "../support/journals.ts";
import { blue } from "../support/requests.ts";
import { bridgeResult, macvlanResult } from "../support/results.ts";

const stdin = { cniVersion: "1.0.0", name: "zone" };
const atThisMoment = Date.UTC(2030, 0, 2, 3, 4, 5);
const old = { path: "/run/netns/old", device: 4, inode: 1, changedMs: 0 };

function add(machine: Machine, call: Call = {}): Outcome {
  return callWrapper({ stdin, ...call }, { answers: [exits(0, macvlanResult), exits(0)], links: [0, 8], ...machine });
}

/** What another call writes to the journal while the plugin runs, once. */
function meanwhile(line: (text: string) => string): NonNullable<Machine["meanwhile"]> {
  let count = 0;
  return (files) => {
    const file = files.get(journal) as { text: string; modifiedMs: number };
    if (count++ === 0) files.set(journal, { ...file, text: file.text + line(file.text) });
  };
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
  const givenUp = (id: string) => linesText([{ line: "given up", ids: [id] }]);

  test("passes beside an entry that may be in use, although it is given up until it has passed", () => {
    const live = entryOf({ namespace: old });
    const outcome = add({
      ...{ files: journalFiles(live), namespaces: { "/run/netns/old": 1 } },
      meanwhile: meanwhile(() => givenUp(live.id)),
    });
    expect(outcome.exitCode).toBe(0);
    expect(commandsOf(outcome)).toEqual(["ADD"]);
  });

  test("is undone at once if it failed and its own entry is given up, and leaves no journal", () => {
    const outcome = add({
      answers: [exits(3, "why"), exits(0)],
      meanwhile: meanwhile((text) => givenUp(JSON.parse(text).id)),
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
        meanwhile(files) {
          const file = files.get(journal) as { text: string };
          const { id, asked } = linesIn(file.text).at(-1);
          if (asked) files.set(journal, { text: file.text + givenUp(id), modifiedMs: 0 });
        },
      },
      { stdin: { ...stdin, ipam: { type: "host-local", subnet: "10.1.0.0/24" } } },
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
    const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
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

  test.each([
    ["that left what it found has nothing to undo", [7, 7], "undone"],
    ["that made another interface has that to undo", [7, 8], "failed"],
    ["that found none has its own to undo", [0, 8], "failed"],
    ["that found none, and left none, is still to be undone", [0, 0], "failed"],
    ["of which nobody knows what it found is still to be undone", [undefined, undefined], "failed"],
  ])("%s", (_, links, line) => {
    const outcome = add({ files: journalFiles(lender, live), answers: [exits(1)], links }, never);
    expect(writtenBy(outcome, lender, live).at(-1)).toMatchObject({ line });
  });
});

test("a chained plugin's ADD undoes what its own earlier try left, and nothing before that", () => {
  const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: blue }] };
  const call = { calledAs: "/opt/cni/bin/tuning-wrapper", stdin: { ...stdin, prevResult } };
  const failed = add({ files: journalFiles(entryOf()), answers: [exits(1)] }, call);
  const again = add({ files: failed.files, answers: [exits(0), exits(0, prevResult)] }, call);
  expect(again.runs.map(({ path }) => path)).toEqual(Array(2).fill("/opt/cni/bin/tuning"));
  expect(commandsOf(again)).toEqual(["DEL", "ADD"]);
});

test("an ADD that passes and is then undone removes its interface, although an old result of another attachment names it", () => {
  const interfaces = [{ name: "eth0", sandbox: blue }];
  const result = { kind: "cniCacheV1", networkName: "other", containerId: "blue", ifName: "net1" };
  const file = "/var/lib/cni/results/other-blue-net1";
  const files = { [file]: JSON.stringify({ ...result, result: { interfaces } }) };
  const { runs } = add({ files, stdoutError: new Error("EPIPE"), answers: [exits(0, macvlanResult), exits(0)] });
  expect(runs.map(({ env }) => [env.CNI_COMMAND, env.CNI_NETNS])).toEqual([
    ["ADD", blue],
    ["DEL", blue],
  ]);
});

test("the journal of an ADD that cannot write it stays if a newer version has written it meanwhile", () => {
  const newer = journalFiles(entryOf())[journal]?.replace('"format":1', '"format":2');
  const outcome = add({
    ...{ files: journalFiles(entryOf({ bootId: "earlier" })), writeProblem: "ENOSPC" },
    meanwhile: (files) => files.set(journal, { text: newer, modifiedMs: 0 }),
  });
  expect(commandsOf(outcome)).toEqual(["DEL"]);
  expect(outcome.files).toEqual({ [journal]: newer });
});

describe("an ADD asks for the address that the attachment had", () => {
  const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
  const ips = { cni: { ips: ["10.1.0.2/24"] } };
  const askedBeside = (sibling: Partial<Entry>, stays: Partial<Entry> = { bootId: "earlier" }) => {
    const files = journalFiles(entryOf(stays), tryOf({ ...net1, delegateNetwork: "zone", ...sibling }));
    const answers = [exits(0), exits(0, macvlanResult)];
    const { runs } = add({ files, answers, links: [0] }, { stdin: { ...stdin, ipam } });
    return (runs.find(({ env }) => env.CNI_COMMAND === "ADD")?.stdin as { args?: object } | undefined)?.args;
  };

  test.each<[string, Partial<Entry>, object | undefined]>([
    ["may get it now", {}, undefined],
    ["has it", { done: { addresses: [] } }, undefined],
    ["began in an earlier boot", { bootId: "earlier" }, ips],
    ["began in a namespace that is gone", { namespace: old }, ips],
    ["has another IPAM plugin", { configuration: { ipam: { type: "static" } } }, ips],
    ["has another interface", { ifName: "eth1" }, ips],
  ])("if a sibling %s: %j", (_, sibling, expected) => {
    expect(askedBeside(sibling)).toEqual(expected);
  });

  test("only if all of them are in its subnets", () => {
    const done = { made: 7, addresses: ["10.1.0.2/24", "10.2.0.2/24"] };
    expect(askedBeside({ bootId: "earlier" }, { bootId: "earlier", done })).toBeUndefined();
  });

  test("unless it is chained", () => {
    const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: blue }] };
    const files = journalFiles(entryOf({ uptime: 985, isGivenUp: true }));
    const { runs } = add({ files }, { calledAs: "/opt/cni/bin/mark-wrapper", stdin: { ...stdin, ipam, prevResult } });
    expect(runs.at(-1)?.env.CNI_COMMAND).toBe("ADD");
    expect(runs.at(-1)?.stdin).not.toHaveProperty("args");
  });
});

const file = journalFile(zoneOfBlue);
const own = Object.values(journalFiles(entryOf()))[0] ?? "";
const result = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: "/run/netns/blue" }] };

describe.each([
  ["is of a newer format", own.replace('"format":1', '"format":2')],
  ["has a line of a newer version", `${own}{"line":"moved","id":"bridge eth0"}\n`],
  ["does not say whose it is", "no journal\n"],
  ["is of another attachment", own.replaceAll('"zone"', '"other"')],
])("a journal that %s", (_, text) => {
  test.each(["CHECK", "DEL"])("is named in the log of %s", (CNI_COMMAND) => {
    const env = { CNI_COMMAND, CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
    const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: result };
    const outcome = callWrapper({ env, stdin }, { files: { [file]: text }, answers: [exits(0, result)], links: [0] });
    expect(messagesOf(outcome)).toContainEqual(expect.stringContaining(`${file} cannot be read: `));
  });
});

test("a line that lacked only its line break counts once DEL has written another one", () => {
  const [started = ""] = Object.values(journalFiles(chainedOf("tuning"), entryOf({ ifName: "eth1" }), entryOf()));
  const undone = '{"line":"undone","id":"tuning eth0"}\n{"line":"undone","id":"bridge eth1"}';
  const { exitCode, files } = callWrapper(
    { env: { CNI_COMMAND: "DEL" } },
    { files: { [file]: `${started}${undone}` }, links: [7] },
  );
  expect(exitCode).toBe(0);
  expect(files).toEqual({});
});

test("a journal that a newer version writes during a DEL stays", () => {
  const newer = own.replace('"format":1', '"format":2');
  const givenUp = [entryOf({ isGivenUp: true }), chainedOf("portmap", { isGivenUp: true })];
  const { exitCode, files } = callWrapper(
    { calledAs: "/opt/cni/bin/tuning-wrapper", env: { CNI_COMMAND: "DEL" } },
    {
      files: journalFiles(...givenUp),
      directories: { [file.slice(0, file.lastIndexOf("/"))]: 7 },
      meanwhile: (all) => all.set(file, { text: newer, modifiedMs: 0 }),
      links: [7],
    },
  );
  expect(exitCode).toBe(0);
  expect(files[file]).toContain('"format":2');
});
