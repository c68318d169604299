import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { askableOn, evidenceOn, isClaimed } from "../../../../cli/adopt/proposal.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import type { CheckOptions } from "../../../../cli/live/check.ts";
import { networkIn } from "../../../../cli/live/networks.ts";
import type { Entry } from "../../../../shared/journal/journal.ts";
import { scratch } from "../../../support/scratch.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { entryOf, journalFiles } from "../../support/journals.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";

const directory = scratch();
const at = (name: string) => join(directory, name);
const resultFile = at("state/results/zone-c1-eth0");
beforeEach(() => {
  redirect("/var/lib/cni", at("state"));
  setVariable("PATH", `${directory}:${process.env.PATH}`);
});

const program = (name: string, script: string) => writeProgram(at(name), script);

/** Makes the programs that show the links of the host and of every container. */
function links(...shown: readonly object[]): void {
  program("ip", `echo '${JSON.stringify(shown)}'`);
  program("lsns", "echo 1");
  program("nsenter", 'shift; exec "$@"');
}

function resultOf(containerId: string, addresses: readonly string[], more: object = {}): string {
  const netns = "/proc/self/ns/net";
  const ips = addresses.map((address) => ({ address, interface: 0 }));
  const result = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: netns }], ips };
  const key = { kind: "cniCacheV1", networkName: "zone", containerId, ifName: "eth0", netns };
  return JSON.stringify({ ...key, result, ...more });
}

function attachmentOf(containerId: string, addresses: readonly string[], more: object = {}): CachedAttachment {
  const file = at(`state/results/zone-${containerId}-eth0`);
  const parsed = parseCachedResult(file, resultOf(containerId, addresses, more));
  if (!isAttachment(parsed)) throw new Error("the fixture is no attachment");
  return parsed;
}

/** What a host has of a container's address 10.1.0.2, beside the lease. */
interface Known {
  /** By network: container and interface. */
  readonly leases?: Readonly<Record<string, string>>;
  /** The same in the directory that the list names. */
  readonly dataDir?: Readonly<Record<string, string>>;
  readonly entry?: Partial<Entry>;
  /** The addresses in the file of another container's result. */
  readonly cached?: readonly string[];
  /** The same in one that adopt was given. */
  readonly given?: readonly string[];
}

const its = ["10.1.0.2/24"];
const done = { made: 7, addresses: its };
const prevResult = { cniVersion: "1.0.0", ips: [{ address: "10.1.0.2/24" }] };
const ofC9 = { containerId: "c9", done };
const given = { done: { ...done, addresses: [] }, configuration: { prevResult } };

test.each<[string, Known, string[]]>([
  ["its own lease", { leases: { zone: "c1\r\neth0" } }, ["10.1.0.2"]],
  ["no lease", {}, []],
  ["a lease of another interface", { leases: { zone: "c1\r\neth1" } }, []],
  ["a lease of another container, too", { leases: { zone: "c1\r\neth0", other: "c9\r\neth0" } }, []],
  ["a journal of its own, too", { entry: { containerId: "c1", done } }, ["10.1.0.2"]],
  ["another container's journal, too", { entry: ofC9 }, []],
  ["another container's journal that is undone", { entry: { ...ofC9, isUndone: true } }, ["10.1.0.2"]],
  ["another container's ADD that did not pass", { entry: { ...ofC9, done: undefined } }, ["10.1.0.2"]],
  ["another container's journal, too, as the address that its plugin got", { entry: { ...ofC9, ...given } }, []],
  ["another container's result, too", { cached: its }, []],
  ["another container's result of another cache, too", { given: its }, []],
  ["a lease in the list's own directory", { leases: {}, dataDir: { zone: "c1\r\neth0" } }, ["10.1.0.2"]],
  ["another container's result without it", { cached: ["10.1.0.3/24"], given: ["10.1.0.4/24"] }, ["10.1.0.2"]],
])("adopt takes an address that has %s", async (_, known, expected) => {
  const { leases = { zone: "c1\r\neth0" }, dataDir = {}, entry, cached, given } = known;
  const isWithout = Object.keys(known).length === 0;
  for (const [network, text] of Object.entries(isWithout ? {} : leases))
    writeFile(at(`state/networks/${network}/10.1.0.2`), text);
  for (const [network, text] of Object.entries(dataDir)) writeFile(at(`own/${network}/10.1.0.2`), text);
  for (const [file, text] of Object.entries(entry ? journalFiles(entryOf(entry)) : {}))
    writeFile(file.replace("/var/lib/cni", at("state")), text);
  if (cached) writeFile(at("state/results/zone-c9-eth0"), resultOf("c9", cached));
  const info = { family: "inet", local: "10.1.0.2", prefixlen: 24, scope: "global" };
  links({ ifindex: 2, ifname: "eth0", addr_info: [info] }, { ifindex: 3, ifname: "eth9" });
  const attachment = attachmentOf("c1", []);
  const all = [attachment, ...(given ? [attachmentOf("c8", given)] : [])];
  const ipam = { type: "host-local", dataDir: at("own") };
  const network = networkIn(parseListFile("", JSON.stringify({ name: "zone", plugins: [{ type: "bridge", ipam }] })));
  const networks = new Map(network && [["zone", network]]);
  const evidence = evidenceOn(all, { networks } as unknown as CheckOptions)(attachment);
  const { inside = [], host, hostId } = (await evidence.readLinks()) ?? {};
  expect([host?.length, hostId, evidence.isClaimed("eth0")]).toEqual([2, "1", given !== undefined]);
  expect(inside.map(({ addr_info = [] }) => addr_info.map(({ local }) => local))).toEqual([expected, []]);
});

const own = attachmentOf("c1", []);
const sibling = (more: object) => ({ ...attachmentOf("c1", [], { netns: "/run/netns/c1", ...more }), file: "another" });

test.each([
  ["has it as the runtime's", sibling({ ifName: "eth1" }), true],
  ["has it among others", { ...sibling({ ifName: "net1" }), ...interfacesOf("eth0", "eth1") }, true],
  ["has it in another namespace", { ...sibling({ ifName: "eth1" }), netns: "/run/netns/c2" }, false],
  ["is the attachment itself", { ...sibling({ ifName: "eth1" }), file: own.file }, false],
  ["has others", sibling({ ifName: "eth2" }), false],
])("an interface is another attachment's if that %s", (_, other, expected) => {
  const ofOwn = { ...own, netns: "/var/run/netns/c1" };
  expect(isClaimed("eth1", ofOwn, [sibling({ ifName: "eth7" }), other])).toBe(expected);
});

function interfacesOf(...names: readonly string[]): Pick<CachedAttachment, "result"> {
  const interfaces = names.map((name) => ({ name, sandbox: "/run/netns/c1" }));
  return { result: { cniVersion: "1.0.0", interfaces } };
}

const plugins = [{ type: "macvlan" }, { type: "macvlan-wrapper", wrapper: { ifName: "eth1" } }];
const zone = { cniVersion: "1.0.0", name: "zone", plugins };
const isComplete = `grep -q '"name":"eth1"'`;

/** Runs adopt for a container with eth1, which its result lacks. By default each plugin's CHECK fails for such a result. */
async function adopt(
  words: readonly string[],
  { list = zone, checks = {}, answer }: { list?: object; checks?: Record<string, string>; answer?: boolean } = {},
  command = "adopt",
) {
  for (const [name, check] of Object.entries({ macvlan: isComplete, "macvlan-wrapper": isComplete, ...checks }))
    program(name, `${check} || { echo '{"code":7,"msg":"eth1 is missing"}'; exit 1; }`);
  writeFile(at("lists/zone.conflist"), list);
  if (!existsSync(resultFile)) writeFile(resultFile, resultOf("c1", [], { netns: namespace() }));
  let asked = 0;
  const confirm = async (message: string) => {
    expect(message).toBe("Replace these results?");
    asked++;
    return answer === true;
  };
  const options = ["--cache-dir", at("state"), "--config-dir", at("lists")];
  const given = [command, ...options, "--cni-path", directory, ...words];
  const outcome = await runCommand(given, { confirm: answer === undefined ? undefined : confirm });
  return { ...outcome, asked, isWritten: readFileSync(resultFile, "utf8").includes('"name":"eth1"') };
}

/** A path of this process's namespace, as a runtime names one. */
function namespace(): string {
  const path = at("ns");
  symlinkSync("/proc/self/ns/net", path);
  return path;
}

/** How adopt ends: how often a person is asked, whether the result has eth1, and what adopt sums up. */
type Outcome = readonly [exitCode: number, asked: number, isWritten: boolean, sums: string];

const offered = "0 pass CHECK, 1 can be adopted, 0 cannot be helped";
const written = "0 pass CHECK, 1 adopted, 0 cannot be helped";
const good = { macvlan: "true", "macvlan-wrapper": "true" };
const allPass = "1 pass CHECK, 0 adopted, 0 cannot be helped";
const unchecked = "0 pass CHECK, 0 can be adopted, 0 cannot be helped, 1 are not checked";
const cured = "0 pass CHECK, 0 adopted, 0 cannot be helped, 1 need another cure";
const unseen = "0 pass CHECK, 0 adopted, 0 cannot be helped, 1 cannot be looked at";

test.each<[string, string[], Parameters<typeof adopt>[1], Outcome]>([
  ["only tells without --write", [], { answer: true }, [1, 0, false, offered]],
  ["writes with --write where nobody can be asked", ["--write"], {}, [0, 0, true, written]],
  ["writes what a person agrees to", ["--write"], { answer: true }, [0, 1, true, written]],
  ["leaves what a person wants to keep", ["--write"], { answer: false }, [1, 1, false, offered]],
  ["asks nobody with --yes", ["--write", "--yes"], { answer: false }, [0, 0, true, written]],
  ["asks nobody if nothing is missing", ["--write"], { answer: true, checks: good }, [0, 0, false, allPass]],
  ["has nothing to do where no CHECK runs", [], { list: { ...zone, disableCheck: true } }, [0, 0, false, unchecked]],
  ["is not good if nothing can be written", ["--write"], { checks: { macvlan: "false" } }, [1, 0, false, cured]],
])("adopt %s", async (_, words, given, expected) => {
  links({ ifindex: 2, ifname: "eth0" }, { ifindex: 3, ifname: "eth1" });
  const { exitCode, asked, isWritten, stdout, stderr } = await adopt(words, given);
  expect([exitCode, asked, isWritten, stdout.trimEnd().split("\n").at(-1)]).toEqual(expected);
  expect(stderr.includes(`${offered}\n`)).toBe(asked > 0);
  expect(`\n${stdout}`).toContain(`\nlooked at: lists in ${at("lists")}, `);
});

test.each([
  ["the links", "ns", "exit 1", "its interfaces cannot be read: "],
  ["the namespace", "loop", "echo 1", "it cannot be looked at; run the command as root"],
])("adopt asks nobody, and is not complete, if it cannot look at %s", async (_, name, lsns, reason) => {
  links();
  program("lsns", lsns);
  symlinkSync(at("loop"), at("loop"));
  namespace();
  writeFile(resultFile, resultOf("c1", [], { netns: join(directory, name) }));
  const { exitCode, asked, stdout } = await adopt(["--write"], { answer: true });
  expect([exitCode, asked, stdout.trimEnd().split("\n").at(-1)]).toEqual([2, 0, unseen]);
  expect(stdout).toContain("zone c1: nobody can tell whether it can be adopted: ");
  expect(stdout).toContain(reason);
});

test("preflight is not complete if nobody can tell what adopt can complete", async () => {
  links();
  program("lsns", "exit 1");
  const { exitCode, stdout, stderr } = await adopt([], {}, "preflight");
  expect({ exitCode, end: stdout.trimEnd().split("\n").at(-1) }).toEqual({ exitCode: 2, end: "0 of 1 pass, 1 fails" });
  expect(stderr).toContain(`${resultFile}: nobody can tell whether it can be adopted: its interfaces cannot be read: `);
});

test.each([
  ["that passes with both results", "true", "1 can be adopted, 0 cannot be helped"],
  ["that fails with both", "false", "1 can be adopted, 0 cannot be helped"],
  [
    "that passes now, and fails with the new result",
    `! ${isComplete}`,
    "0 can be adopted, 1 when the new list is in place, 0 cannot be helped",
  ],
])("adopt --with another list asks the list in place, too: one %s", async (_, bridge, sums) => {
  links({ ifindex: 3, ifname: "eth1" });
  const file = at("new.conflist");
  writeFile(file, zone);
  const list = { ...zone, plugins: [{ type: "bridge" }] };
  const { stdout } = await adopt(["--with", file], { list, checks: { bridge } });
  expect(stdout).toContain(`\n0 pass CHECK, ${sums}\n`);
});

test("adopt --undo leaves a result without which the list in place fails, and says why", async () => {
  links({ ifindex: 3, ifname: "eth1" });
  await adopt(["--write"]);
  expect(await adopt(["--undo"])).toMatchObject({
    exitCode: 1,
    isWritten: true,
    stdout: `${resultFile}: CHECK of the list in place would fail with the old result, so it stays as it is; put the old list in place first\n`,
  });
});

const wrapped = { ...zone, plugins: [{ type: "macvlan-wrapper", wrapper: { ifName: "eth1" } }] };

function loseDelegate(): void {
  program("macvlan-wrapper", `echo '{"code":7,"msg":"delegate macvlan is missing"}'; exit 1`);
  rmSync(at("macvlan"));
}

function loseIpam(): void {
  program("macvlan", "exit 1");
  writeFile(at("lists/zone.conflist"), { ...zone, plugins: [{ type: "macvlan", ipam: { type: "host-local" } }] });
}

test.each<[string, string, object, () => void]>([
  ["the plugins are elsewhere", "/nope", zone, () => {}],
  ["a wrapper's plugin is missing", directory, wrapped, loseDelegate],
  ["its IPAM plugin is missing", directory, zone, loseIpam],
  ["its list is gone", directory, zone, () => rmSync(at("lists/zone.conflist"))],
])("adopt --undo restores nothing if %s: CHECK cannot be asked", async (_, plugins, list, spoil) => {
  links({ ifindex: 3, ifname: "eth1" });
  await adopt(["--write"], { list });
  spoil();
  const file = resultFile;
  const given = ["adopt", "--undo", "--cache-dir", at("state"), "--config-dir", at("lists")];
  const { exitCode, stdout, stderr } = await runCommand([...given, "--cni-path", plugins]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 2,
    stdout: `${file}: CHECK cannot be asked about the old result, so it stays as it is\n`,
  });
  expect(stderr).toContain(`${file}: `);
  expect(readFileSync(file, "utf8")).toContain('"name":"eth1"');
});

const bridge = { type: "bridge", ipam: { type: "host-local" } };
const wrapper = { ...bridge, type: "bridge-wrapper" };

test.each<[string, object, readonly object[], readonly string[], boolean]>([
  ["without plugins", {}, [], [], true],
  ["whose namespace is gone", { netns: "/run/netns/no-such" }, [], [], false],
  ["of another list", { networkName: "other" }, [], [], false],
  ["with all plugins", {}, [{ type: "tuning" }, bridge], ["tuning", "bridge", "host-local"], true],
  ["without its IPAM plugin", {}, [bridge], ["bridge"], false],
  ["without its plugin", {}, [bridge], ["host-local"], false],
  ["with a wrapper and its plugin", {}, [wrapper], ["bridge-wrapper", "bridge", "host-local"], true],
  ["with a wrapper without its plugin", {}, [wrapper], ["bridge-wrapper", "host-local"], false],
])("CHECK can be asked about an attachment %s, or not", (_, more, plugins, files, expected) => {
  const network = networkIn(parseListFile("", JSON.stringify({ name: "zone", plugins })));
  for (const name of files) program(name, "");
  const check = { networks: new Map(network && [["zone", network]]), cniPath: [directory] } as unknown as CheckOptions;
  expect(askableOn(check, directory)(attachmentOf("c1", [], more))).toBe(expected);
});
