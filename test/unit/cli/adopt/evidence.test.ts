import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { evidenceOn, isClaimed } from "../../../../cli/adopt/evidence.ts";
import { missingJournal } from "../../../../cli/adopt/journal.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import type { CheckOptions } from "../../../../cli/live/check.ts";
import { networkIn } from "../../../../cli/live/networks.ts";
import type { Entry } from "../../../../shared/journal/journal.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { entryOf, journalFiles } from "../../support/journals.ts";
import { redirect } from "../../support/redirected.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "evidence-"));
  redirect("/var/lib/cni", join(directory, "state"));
  vi.stubEnv("PATH", `${directory}:${process.env.PATH}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function program(name: string, script: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

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
  return JSON.stringify({
    kind: "cniCacheV1",
    networkName: "zone",
    containerId,
    ifName: "eth0",
    netns,
    result,
    ...more,
  });
}

function attachmentOf(containerId: string, addresses: readonly string[], more: object = {}): CachedAttachment {
  const file = join(directory, "state/results", `zone-${containerId}-eth0`);
  const parsed = parseCachedResult(file, resultOf(containerId, addresses, more));
  if (!isAttachment(parsed)) throw new Error("the fixture is no attachment");
  return parsed;
}

/** What a host has of a container's address 10.1.0.2, beside the lease. */
interface Known {
  /** By network: container and interface. */
  readonly leases?: Readonly<Record<string, string>>;
  readonly entry?: Partial<Entry>;
  /** The addresses in the file of another container's result. */
  readonly cached?: readonly string[];
  /** The same in one that adopt was given. */
  readonly given?: readonly string[];
}

const its = ["10.1.0.2/24"];
const done = { uptime: 985, made: 7, addresses: its };
const prevResult = { cniVersion: "1.0.0", ips: [{ address: "10.1.0.2/24" }] };

test.each<[string, Known, string[]]>([
  ["its own lease", { leases: { zone: "c1\r\neth0" } }, ["10.1.0.2"]],
  ["no lease", {}, []],
  ["a lease of another interface", { leases: { zone: "c1\r\neth1" } }, []],
  ["a lease of another container, too", { leases: { zone: "c1\r\neth0", other: "c9\r\neth0" } }, []],
  ["a journal of its own, too", { entry: { containerId: "c1", done } }, ["10.1.0.2"]],
  ["another container's journal, too", { entry: { containerId: "c9", done } }, []],
  ["another container's journal that is undone", { entry: { containerId: "c9", done, isUndone: true } }, ["10.1.0.2"]],
  ["another container's ADD that did not pass", { entry: { containerId: "c9", done: undefined } }, ["10.1.0.2"]],
  [
    "another container's journal, too, as the address that its plugin got",
    { entry: { containerId: "c9", done: { ...done, addresses: [] }, configuration: { prevResult } } },
    [],
  ],
  ["another container's result, too", { cached: its }, []],
  ["another container's result of another cache, too", { given: its }, []],
  ["another container's result without it", { cached: ["10.1.0.3/24"], given: ["10.1.0.4/24"] }, ["10.1.0.2"]],
])("adopt takes an address that has %s", async (_, known, expected) => {
  const { leases = { zone: "c1\r\neth0" }, entry, cached, given } = known;
  const isWithout = Object.keys(known).length === 0;
  for (const [network, text] of Object.entries(isWithout ? {} : leases))
    write(join(directory, "state/networks", network, "10.1.0.2"), text);
  for (const [file, text] of Object.entries(entry ? journalFiles(entryOf(entry)) : {}))
    write(file.replace("/var/lib/cni", join(directory, "state")), text);
  if (cached) write(join(directory, "state/results/zone-c9-eth0"), resultOf("c9", cached));
  const info = { family: "inet", local: "10.1.0.2", prefixlen: 24, scope: "global" };
  links({ ifindex: 2, ifname: "eth0", addr_info: [info] }, { ifindex: 3, ifname: "eth9" });
  const attachment = attachmentOf("c1", []);
  const all = [attachment, ...(given ? [attachmentOf("c8", given)] : [])];
  const evidence = evidenceOn(all, { networks: new Map() } as unknown as CheckOptions)(attachment);
  const { inside = [] } = (await evidence.readLinks()) ?? {};
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
  expect(isClaimed("eth1", { ...own, netns: "/var/run/netns/c1" }, [sibling({ ifName: "eth7" }), other])).toBe(
    expected,
  );
});

function interfacesOf(...names: readonly string[]): Pick<CachedAttachment, "result"> {
  const interfaces = names.map((name) => ({ name, sandbox: "/run/netns/c1" }));
  return { result: { cniVersion: "1.0.0", interfaces } };
}

test("adopt writes the journal of wrapped plugins, where there is none", () => {
  const text = JSON.stringify({ name: "zone", plugins: [{ type: "bridge-wrapper" }] });
  const { list } = networkIn(parseListFile("", text)) ?? {};
  const attachment = attachmentOf("c1", []);
  write(attachment.file, "{}");
  const links = { inside: [{ ifindex: 2, ifname: "eth0" }], host: [], hostId: "1" };
  const missing = (plugins = list?.plugins ?? []) => missingJournal(attachment, plugins, links);
  expect(missing()).toMatchObject({
    file: "/var/lib/cni/wrappers/c1/zone:eth0",
    text: expect.stringMatching(/"type":"bridge"[^\n]*\n.*"line":"done"/),
  });
  expect(missing([])).toBeUndefined();
  write(join(directory, "state/wrappers/c1/zone:eth0"), "");
  expect(missing()).toBeUndefined();
});

test("an entry that adopt writes is as old as the result, and a renamed interface's has no CNI_ARGS", () => {
  const plugins = [{ type: "bridge-wrapper" }, { type: "macvlan-wrapper", wrapper: { ifName: "eth1" } }];
  const { list } = networkIn(parseListFile("", JSON.stringify({ name: "zone", plugins }))) ?? {};
  const attachment = attachmentOf("c1", [], { cniArgs: [["A", "b"]] });
  write(attachment.file, "{}");
  const tenSecondsAgo = Date.now() / 1000 - 10;
  utimesSync(attachment.file, tenSecondsAgo, tenSecondsAgo);
  const inside = ["eth0", "eth1"].map((ifname, index) => ({ ifindex: index + 2, ifname }));
  const { text = "" } = missingJournal(attachment, list?.plugins ?? [], { inside, host: [], hostId: "1" }) ?? {};
  const began: Entry[] = text.split("\n").flatMap((line) => (line.includes('"began"') ? JSON.parse(line) : []));
  expect(began.map(({ ifName, args }) => [ifName, args])).toEqual([
    ["eth0", "A=b"],
    ["eth1", ""],
  ]);
  const age = Number.parseFloat(readFileSync("/proc/uptime", "utf8")) - (began[0]?.uptime ?? 0);
  expect(age).toBeGreaterThan(9);
  expect(age).toBeLessThan(60);
});

/** How adopt ends: how often a person is asked, and whether the result has eth1. */
type Outcome = { readonly exitCode: number; readonly asked: number; readonly isWritten: boolean };

test.each<[string, string[], boolean | undefined, Outcome]>([
  ["only tells without --write", [], true, { exitCode: 1, asked: 0, isWritten: false }],
  ["writes with --write where nobody can be asked", ["--write"], undefined, { exitCode: 0, asked: 0, isWritten: true }],
  ["writes what a person agrees to", ["--write"], true, { exitCode: 0, asked: 1, isWritten: true }],
  ["leaves what a person wants to keep", ["--write"], false, { exitCode: 1, asked: 1, isWritten: false }],
  ["asks nobody with --yes", ["--write", "--yes"], false, { exitCode: 0, asked: 0, isWritten: true }],
  ["asks nobody if nothing is missing", ["--write", "nothing"], true, { exitCode: 0, asked: 0, isWritten: false }],
  ["asks nobody if it cannot look", ["--write", "unseen"], true, { exitCode: 2, asked: 0, isWritten: false }],
])("adopt %s", async (_, given, answer, expected) => {
  links({ ifindex: 2, ifname: "eth0" }, { ifindex: 3, ifname: "eth1" });
  if (given.includes("unseen")) program("lsns", "exit 1");
  const plugins = [{ type: "macvlan" }, { type: "macvlan-wrapper", wrapper: { ifName: "eth1" } }];
  const list = JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins });
  write(join(directory, "zone.conflist"), list);
  const isFine = given.includes("nothing") ? "true" : `grep -q '"name":"eth1"'`;
  for (const name of ["macvlan", "macvlan-wrapper"])
    program(name, `${isFine} || { echo '{"code":7,"msg":"eth1 is missing"}'; exit 1; }`);
  const file = join(directory, "state/results/zone-c1-eth0");
  write(file, resultOf("c1", [], { netns: namespace(), config: Buffer.from(list).toString("base64") }));
  let asked = 0;
  const confirm = async () => {
    asked++;
    return answer === true;
  };
  const options = ["--cache-dir", join(directory, "state"), "--config-dir", directory, "--cni-path", directory];
  const { exitCode } = await runCommand(["adopt", ...options, ...given.filter((word) => word.startsWith("-"))], {
    confirm: answer === undefined ? undefined : confirm,
  });
  expect({ exitCode, asked, isWritten: readFileSync(file, "utf8").includes('"name":"eth1"') }).toEqual(expected);
});

/** A path of this process's namespace, as a runtime names one. */
function namespace(): string {
  const path = join(directory, "ns");
  symlinkSync("/proc/self/ns/net", path);
  return path;
}
