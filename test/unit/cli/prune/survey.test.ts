import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Memory } from "../../../../cli/host/memory.ts";
import type { PathState } from "../../../../cli/live/namespaces.ts";
import { type Finding, findingsIn } from "../../../../cli/prune/findings.ts";
import { remove } from "../../../../cli/prune/prune.ts";
import { holdersOf, readLeases, surveyOf } from "../../../../cli/prune/survey.ts";
import { scratch } from "../../../support/scratch.ts";
import { configOf } from "../../support/cached-results.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { failWith, intercept } from "../../support/file-functions.ts";
import { entryOf, journalFiles } from "../../support/journals.ts";
import { leaveNoDescriptor } from "../../support/no-descriptor.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile, writeList } from "../../support/written.ts";
import { parsedList } from "../explain/support.ts";
import { leaseOf, rememberedOf, resultOf } from "./support.ts";

const directory = scratch();
beforeEach(() => {
  for (const name of ["zone", "results", "adopted"]) mkdirSync(join(directory, name));
});

const at = (name: string) => join(directory, name);
const none = { cniVersion: "1.0.0", name: "none", plugins: [{ type: "bridge" }] };

/** Writes files below the directory. All are old. */
function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    writeFile(at(file), text);
    utimesSync(at(file), 1000, 1000);
  }
}

test("leases are the files of addresses, of old versions of host-local, too", () => {
  write({
    "zone/10.1.0.3": "c2",
    "zone/fd00::2": "c1\r\neth1",
    "zone/10.1.0.4": "",
    "zone/lock": "",
    "zone/last_reserved_ip.0": "10.1.0.2",
  });
  writeFileSync(at("zone/10.1.0.2"), "c1\r\neth0");
  const leases = readLeases([directory], Date.now());
  expect(leases[0]).toEqual({
    ...{ kind: "lease", where: at("zone/10.1.0.2"), name: "lease:zone:c1:eth0", network: "zone", containerId: "c1" },
    ...{ addresses: ["10.1.0.2"], doubt: expect.any(String) },
    removal: { by: "unlink", file: at("zone/10.1.0.2"), text: "c1\r\neth0", lock: at("zone/lock") },
  });
  expect(holdersOf("10.1.0.3", [directory])).toEqual(["c2"]);
  expect(holdersOf("10.1.0.9", [directory])).toEqual([]);
  expect(leases.map(({ where, name, containerId }) => [where, name, containerId])).toEqual([
    [at("zone/10.1.0.2"), "lease:zone:c1:eth0", "c1"],
    [at("zone/10.1.0.3"), "lease:zone:c2:", "c2"],
    [at("zone/10.1.0.4"), "lease:zone::", ""],
    [at("zone/fd00::2"), "lease:zone:c1:eth1", "c1"],
  ]);
});

test("a lease is new for 15 minutes", () => {
  write({ "zone/10.1.0.2": "c1\r\neth0" });
  const doubtAt = (seconds: number) => readLeases([directory], seconds * 1000).map(({ doubt }) => doubt);
  expect(doubtAt(1000 + 899)).toEqual(["it is less than 15 minutes old: an ADD may be under way"]);
  expect(doubtAt(1000 + 900)).toEqual([undefined]);
  expect(doubtAt(1000 - 900)).toEqual(["it is less than 15 minutes old: an ADD may be under way"]);
  expect(doubtAt(1000 - 901)).toEqual(["its time is in the future: touch the file, and prune in 15 minutes"]);
});

test("an address that somebody reserved by hand stays", () => {
  write({ "zone/10.1.0.2": "reserved\n", "zone/10.1.0.3": "printer" });
  const doubt = "it names no interface: somebody may have reserved the address";
  expect(readLeases([directory], Date.now()).map((lease) => lease.doubt)).toEqual([doubt, doubt]);
});

/** The finding of a lease that no attachment has. */
function findingOf(): Finding {
  writeFileSync(at("zone/10.1.0.2"), "c1\r\neth0");
  const removal = { by: "unlink", file: at("zone/10.1.0.2"), text: "c1\r\neth0", lock: at("zone/lock") } as const;
  const thing = leaseOf("c1", "10.1.0.2", { removal });
  return { thing, known: undefined, network: "zone", containerId: "c1", why: undefined };
}

const leases = () => readdirSync(at("zone")).filter((name) => name !== "lock");
const removed = (finding: Finding) => remove(finding, at("results"), () => false);

test.each<[string, () => unknown]>([
  ["without an attachment is removed", () => {}],
  ["that is gone already is no problem", () => rmSync(at("zone/10.1.0.2"))],
])("a lease %s", async (_, meanwhile) => {
  const finding = findingOf();
  meanwhile();
  expect(await removed(finding)).toBe(undefined);
  expect(leases()).toEqual([]);
});

test("a lock that host-local did not make yet is root's alone: who opens it can keep it", async () => {
  const finding = findingOf();
  expect(await removed(finding)).toBe(undefined);
  expect(statSync(at("zone/lock")).mode & 0o777).toBe(0o600);
});

test("a file that a DEL removes first is no problem", async () => {
  intercept("unlinkSync", (actual) => (path: string) => {
    rmSync(path);
    actual(path);
  });
  expect(await removed(findingOf())).toBe(undefined);
});

test("a lease for whose lock no file descriptor is left stays", async () => {
  const finding = findingOf();
  leaveNoDescriptor();
  expect(await removed(finding)).toBe(`host-local's lock cannot be had: ${at("zone/lock")}`);
  expect(leases()).toHaveLength(1);
});

test("a file that the system does not remove stays, with the reason", async () => {
  const finding = findingOf();
  failWith("EROFS", "unlinkSync");
  expect(await removed(finding)).toBe("the file system is read-only");
});

test("a directory without libcni's results is a mistake, such as that of the results", async () => {
  expect(await runCommand(["prune", "--cache-dir", at("results")])).toEqual(
    trouble(`${at("results/results")}: there is no such file`),
  );
});

/** Runs prune with the directories of the test, with no process of this machine but `processes`. `ip` prints the links of the host. */
async function runPrune(
  words: readonly string[],
  { answer, ip = "[]", processes = [] }: { answer?: boolean | undefined; ip?: string; processes?: string[] } = {},
) {
  setVariable("PATH", directory);
  for (const name of ["__VERSION__", "__COMMIT__"]) vi.stubGlobal(name, "1.2.3");
  onTestFinished(() => void vi.unstubAllGlobals());
  redirect("/var/lib/cni", directory);
  intercept("readdirSync", (actual) => (path: string) => (path === "/proc" ? processes : actual(path)));
  writeProgram(at("ip"), `echo '${ip}'`);
  writeFile(at("none.conflist"), none);
  let asked = 0;
  const confirm = async (message: string) => {
    expect(message).toBe("Remove what can be pruned?");
    asked++;
    return answer === true;
  };
  const options = ["--cache-dir", directory, "--config-dir", directory, "--cni-path", directory];
  const outcome = await runCommand(["prune", ...options, ...words], {
    confirm: answer === undefined ? undefined : confirm,
  });
  return { ...outcome, asked };
}

/** Writes the result of an attachment to the network none, or another. */
function attach(containerId: string, more: { readonly networkName?: string; readonly [key: string]: unknown }): void {
  const config = configOf(none.plugins, { name: "none" });
  const { text } = resultOf(containerId, `10.1.0.${containerId.slice(1)}`, { networkName: "none", config, ...more });
  writeFileSync(at(`results/${more.networkName ?? "none"}-${containerId}-eth0`), text);
}

/** How prune ends: how often a person is asked, the results that are left, and whether a DEL failed. */
type Outcome = readonly [exitCode: number, asked: number, left: number, hasFailed: boolean];

const nowhere = { netns: "", result: { cniVersion: "1.0.0" } };

test.each<[string, string[], boolean | undefined, object[], Outcome]>([
  ["only tells without --write", [], true, [{}], [1, 0, 1, false]],
  ["removes with --write where nobody can be asked", ["--write"], undefined, [{}], [0, 0, 0, true]],
  ["removes what a person agrees to", ["--write"], true, [{}], [0, 1, 0, true]],
  ["leaves what a person wants to keep", ["--write"], false, [{}], [1, 1, 1, false]],
  ["asks nobody with --yes", ["--write", "--yes"], false, [{}], [0, 0, 0, true]],
  ["asks nobody if nothing can go", ["--write"], true, [{ netns: "loop" }], [2, 0, 1, false]],
  ["asks if one of two things can go", ["--write"], true, [{ netns: "loop" }, {}], [2, 1, 1, true]],
  ["is not good while something is left", ["--write"], undefined, [nowhere, {}], [1, 0, 1, true]],
  ["is about one network", ["--write"], undefined, [{}, { networkName: "other" }], [0, 0, 1, true]],
])("prune %s", async (_, words, answer, attachments, expected) => {
  symlinkSync("loop", at("loop"));
  for (const [index, more] of attachments.entries()) {
    const netns = "netns" in more && more.netns === "loop" ? { netns: at("loop") } : {};
    attach(`c${index}`, { netns: "/none", ...more, ...netns });
  }
  const { exitCode, asked, stdout, stderr } = await runPrune(["--network", "none", ...words], { answer });
  const hasFailed = /^none c\d: DEL of bridge failed: /m.test(stderr);
  expect([exitCode, asked, readdirSync(at("results")).length, hasFailed]).toEqual(expected);
  expect(stdout).toContain(`looked at: lists in ${directory}, `);
  expect(stdout).not.toContain("other");
  expect(stderr.includes("can be pruned")).toBe(asked > 0);
});

test("a network that nothing has is refused, and what was left out is told first", async () => {
  attach("c1", { netns: "/none" });
  writeProgram(at("iptables-save"), "echo broken >&2; exit 1");
  // The limiter of a container that nobody knows has no network.
  const ip = JSON.stringify([{ ifname: "bwp0123456789ab", linkinfo: { info_kind: "ifb" } }]);
  const { exitCode, stdout, stderr } = await runPrune(["--network", "typo"], { ip });
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(
    /^.*broken.*; packet rules may be left\ncni-wrappers: --network typo: no list and no attachment has this name; there are: none\n$/,
  );
});

test("rules that can no longer be read after the DELs are told", async () => {
  attach("c1", { netns: "/none" });
  writeProgram(at("iptables-save"), "");
  writeProgram(at("bridge"), `/bin/rm ${at("iptables-save")}; /bin/ln -s /bin/false ${at("iptables-save")}`);
  const { exitCode, stderr } = await runPrune(["--network", "none", "--write"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("; packet rules may be left\n");
});

test.each([
  ["with nothing to prune, none", 0, 0],
  ["with one thing to prune, those of all processes", 1, 1],
  ["with two, the same", 2, 1],
])("prune looks into the namespaces that it needs: %s", async (_, things, expected) => {
  for (let index = 0; index < things; index++) attach(`c${index}`, { netns: "/none" });
  let looks = 0;
  intercept("openSync", (actual) => (...args: Parameters<typeof actual>) => {
    if (/^\/proc\/\d+$/.test(String(args[0]))) looks++;
    return actual(...args);
  });
  await runPrune([], { processes: ["9999999"] });
  expect(looks).toBe(expected);
});

test("prune waits for a plugin as long as --timeout says", async () => {
  attach("c1", { netns: "/none" });
  writeProgram(at("bridge"), "exec /bin/sleep 3");
  const { stderr } = await runPrune(["--network", "none", "--write", "--timeout", "0.1"]);
  expect(stderr).toContain("gave no answer within 0.1 seconds");
});

test("prune knows the journals, leases, backups and results of a gone container, and its interfaces on the host", async () => {
  attach("c1", { netns: "/none" });
  attach("c2", { netns: "/none" });
  const entry = entryOf({ network: "none", containerId: "c1", namespace: { path: "/none", device: 4, inode: 5 } });
  const [[journal = "", text = ""] = []] = Object.entries(journalFiles(entry));
  const backup = JSON.stringify({ before: resultOf("c3", "10.1.0.3", { networkName: "none", netns: "/none" }).text });
  write({
    [journal.replace("/var/lib/cni/", "")]: text,
    "networks/none/10.1.0.1": "c1\r\neth0",
    "adopted/none-c1-eth0": "the container has a result",
    "adopted/none-c3-eth0": backup,
    "adopted/none-c4-eth0": "{}",
  });
  const veth = { ifname: "vethc2", address: "02:00:00:00:00:0b", link_netnsid: 0, linkinfo: { info_kind: "veth" } };
  const card = { ifname: "vethc1", address: "02:00:00:00:00:0b", link_netnsid: 0 };
  // Both ends are in the host's namespace.
  const ofHost = { ifname: "vethc1", address: "02:00:00:00:00:0b", linkinfo: { info_kind: "veth" } };
  const { exitCode, stdout, stderr } = await runPrune(["--json"], { ip: JSON.stringify([veth, card, ofHost]) });
  const rows: readonly Record<string, string>[] = JSON.parse(stdout);
  const why = "the host's end of its interface is still there: vethc2";
  expect(rows.map(({ kind, where, fate, why }) => [kind, where?.replace(`${directory}/`, ""), fate, why])).toEqual([
    ["lease", "networks/none/10.1.0.1", "prunable", undefined],
    ["backup", "adopted/none-c1-eth0", "prunable", undefined],
    ["backup", "adopted/none-c3-eth0", "prunable", undefined],
    ["journal", journal, "prunable", undefined],
    ["result", "results/none-c1-eth0", "prunable", undefined],
    ["result", "results/none-c2-eth0", "left", why],
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    `${at("adopted/none-c4-eth0")}: it is no backup of adopt; its container counts as running\nlooked at: lists in ${directory}, plugins in ${directory}, results in ${directory}\n`,
  );
});

test("prune looks for leases where lists, and results of old lists, have them, and for rules and limiters of bandwidth", async () => {
  const withLeases = (dataDir: string) => [{ type: "bridge", ipam: { type: "host-local", dataDir } }];
  writeList(at("other.conflist"), ...withLeases(at("a")));
  attach("c1", { netns: "/none", config: configOf(withLeases(at("b")), { name: "none" }) });
  attach("c2", { netns: "/none", networkName: "third" });
  write({
    "a/other/10.2.0.1": "c1\r\neth0",
    "b/none/10.1.0.1": "c1\r\neth0",
    "networks/third/10.3.0.9": "c9\r\neth0",
    "networks/fourth/10.4.0.9": "c9\r\neth0",
  });
  const chain = "CNI-0123456789abcdef01234567";
  writeProgram(at("iptables-save"), `echo '*nat'\necho ':${chain} - [0:0]'`);
  const limiter = { ifname: "bwp0123456789ab", linkinfo: { info_kind: "ifb" } };
  const shown = async (...words: readonly string[]) => {
    const { exitCode, stdout } = await runPrune(["--json", ...words], { ip: JSON.stringify([limiter]) });
    const rows: readonly Record<string, string>[] = JSON.parse(stdout);
    return [exitCode, rows.map(({ where, fate, why }) => [where?.replace(`${directory}/`, ""), fate, why])];
  };
  const fourth = ["networks/fourth/10.4.0.9", "left", "no list, result or journal names the network fourth"];
  const [exitCode, rows] = await shown();
  expect(exitCode).toBe(1);
  expect(new Set(rows as unknown[])).toEqual(
    new Set([
      ...["a/other/10.2.0.1", "b/none/10.1.0.1", "networks/third/10.3.0.9"].map((where) => [
        where,
        "prunable",
        undefined,
      ]),
      fourth,
      ...[`iptables nat ${chain}`, limiter.ifname].map((where) => [where, "left", "nothing says whose it is"]),
      ...["results/none-c1-eth0", "results/third-c2-eth0"].map((where) => [where, "prunable", undefined]),
    ]),
  );
  // A network counts that only a lease names, and what is of another network does not.
  expect(await shown("--network", "fourth")).toEqual([1, [fourth]]);
  // A file among the results that has the container's name belongs to an attachment, even if it cannot be read as a result.
  mkdirSync(at("results/.third-c9-eth0"));
  expect(await shown("--network", "third", "--write")).toEqual([
    1,
    [
      ["networks/third/10.3.0.9", "left", "its container came back meanwhile"],
      ["results/third-c2-eth0", "pruned", undefined],
    ],
  ]);
});

test("a host that never had a container has nothing to prune, and needs no directory", async () => {
  redirect("/var/lib/cni", at("missing"));
  const look = () => runCommand(["prune", "--config-dir", directory, "--cni-path", directory]);
  expect(await look()).toMatchObject({ stdout: expect.stringContaining("\nNothing is left of an attachment") });
  writeFileSync(at("zone.conflist"), "{");
  const stdout = expect.stringContaining("\nOf what could be looked at, nothing is left of an attachment");
  expect(await look()).toMatchObject({ exitCode: 2, stdout });
});

const zone = parsedList({ name: "zone", plugins: [{ type: "bridge-wrapper", wrapper: { ifName: "eth1" } }] });

async function survey(state: PathState = "gone", leaveOut: (file: string, reason: string) => void = () => {}) {
  const places = { cacheDirectory: directory, lists: [zone] };
  return surveyOf(places, { namespaces: [], pathState: () => state }, leaveOut);
}

async function findings(state?: PathState) {
  return findingsIn(await survey(state)).filter(({ thing }) => thing.kind === "backup");
}

function backUp(before = resultOf("c1", "10.1.0.2").text): void {
  writeFile(at("adopted/zone-c1-eth0"), { before, after: "{}", records: [] });
}

test("the backup of a result that DEL removed goes with its container", async () => {
  backUp();
  const [finding, ...others] = await findings();
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ network: "zone", containerId: "c1", why: undefined });
  expect(finding && (await remove(finding, at("results"), () => false))).toBeUndefined();
  expect(existsSync(at("adopted/zone-c1-eth0"))).toBe(false);
});

test.each(["live", "unreadable"] as const)("it stays while the namespace is there, or may be: %s", async (state) => {
  backUp();
  expect((await findings(state)).map(({ why }) => why)).toEqual(["/run/netns/c1 is still there"]);
});

test("it is the live container's if that has a result again", async () => {
  backUp();
  writeFileSync(at("results/zone-c1-eth0"), resultOf("c1", "10.1.0.2").text);
  expect(await findings("live")).toEqual([]);
});

test("a backup that names nobody is left alone, and named", async () => {
  backUp("{}");
  const named: string[] = [];
  const { things, unreadable } = await survey("gone", (...what) => named.push(what.join(": ")));
  expect(things.filter(({ kind }) => kind === "backup")).toEqual([]);
  expect(named).toEqual([`${at("adopted/zone-c1-eth0")}: it is no backup of adopt`]);
  expect(unreadable).toEqual([at("adopted/zone-c1-eth0")]);
});

test("a list is known by its own name, and by those of its renamed interfaces", async () => {
  expect(Object.fromEntries((await survey()).networks)).toEqual({ zone: "zone", "zone-eth1": "zone" });
});

test("a namespace that only a journal of this boot tells may be its attachment's", async () => {
  redirect("/var/lib/cni", directory);
  const namespace = { path: "/none", device: 4, inode: 5 };
  const stateOf = async (bootId: string | undefined) => {
    const { text } = rememberedOf(entryOf({ containerId: "c1", namespace, bootId: String(bootId) }));
    writeFile(at("wrappers/c1/zone:eth0"), text);
    const namespaces = [{ inode: 5, paths: ["/proc/7/ns/net"], links: [] }];
    const places = { cacheDirectory: directory, lists: [] };
    const { states } = await surveyOf(places, { namespaces, pathState: () => "gone" }, () => {});
    return [...states.values()];
  };
  expect(await stateOf(new Memory().moment()?.bootId)).toEqual([
    { is: "unknown", why: "its namespace lives on: /proc/7/ns/net" },
  ]);
  expect(await stateOf("earlier")).toEqual([{ is: "gone" }]);
});
