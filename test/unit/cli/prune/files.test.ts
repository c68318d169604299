import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import type { Finding } from "../../../../cli/prune/findings.ts";
import { holdersOf, leaseDirectories, readLeases } from "../../../../cli/prune/read-leases.ts";
import { remove } from "../../../../cli/prune/remove.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";
import { redirect } from "../../support/redirected.ts";
import { knownOf, leaseOf, resultOf } from "./support.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "prune-"));
  mkdirSync(join(directory, "zone"));
  mkdirSync(join(directory, "results"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);

test("leases are the files of addresses, of old versions of host-local, too", () => {
  for (const [name, text] of [
    ["10.1.0.2", "c1\r\neth0"],
    ["10.1.0.3", "c2"],
    ["fd00::2", "c1\r\neth1"],
    ["10.1.0.4", ""],
    ["lock", ""],
    ["last_reserved_ip.0", "10.1.0.2"],
  ] as const)
    writeFileSync(at(`zone/${name}`), text);
  const leases = readLeases(directory, Date.now());
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
  writeFileSync(at("zone/10.1.0.2"), "c1\r\neth0");
  utimesSync(at("zone/10.1.0.2"), 1000, 1000);
  const doubtAt = (seconds: number) => readLeases(directory, seconds * 1000).map(({ doubt }) => doubt);
  expect(doubtAt(1000 + 899)).toEqual(["it is less than 15 minutes old: an ADD may be under way"]);
  expect(doubtAt(1000 + 900)).toEqual([undefined]);
});

test("an address that somebody reserved by hand stays", () => {
  for (const [name, text] of [
    ["10.1.0.2", "reserved\n"],
    ["10.1.0.3", "printer"],
  ] as const) {
    writeFileSync(at(`zone/${name}`), text);
    utimesSync(at(`zone/${name}`), 1000, 1000);
  }
  const doubt = "it names no interface: somebody may have reserved the address";
  expect(readLeases(directory, Date.now()).map((lease) => lease.doubt)).toEqual([doubt, doubt]);
});

test("each directory of leases is read once", () => {
  symlinkSync(directory, at("link"));
  const plugin = (dataDir: string) => ({ type: "bridge", ipam: { type: "host-local", dataDir } });
  const value = { name: "zone", plugins: [plugin(directory), plugin(at("link")), plugin(at("none"))] };
  const list = listOf(parseListFile("zone.conflist", JSON.stringify(value)));
  expect(leaseDirectories(list ? [list] : []).filter((path) => path.startsWith(tmpdir()))).toEqual([directory]);
});

/** The finding of a lease, with its attachment if there is one. */
function findingOf(more: Partial<Finding> = {}): Finding {
  writeFileSync(at("zone/10.1.0.2"), "c1\r\neth0");
  const removal = { by: "unlink", file: at("zone/10.1.0.2"), text: "c1\r\neth0", lock: at("zone/lock") } as const;
  const thing = leaseOf("c1", "10.1.0.2", { removal });
  return { thing, known: undefined, network: "zone", containerId: "c1", why: undefined, ...more };
}

const leases = () => readdirSync(at("zone")).filter((name) => name !== "lock");

test("a lease without an attachment is removed", async () => {
  expect(await remove(findingOf(), at("results"), () => false)).toBeUndefined();
  expect(leases()).toEqual([]);
});

test("a lease of a container that got a result meanwhile stays", async () => {
  const finding = findingOf();
  writeFileSync(at("results/zone-c1-eth0"), "");
  expect(await remove(finding, at("results"), () => false)).toBe("its container came back meanwhile");
  expect(leases()).toEqual(["10.1.0.2"]);
});

test("a record of a container that got a result meanwhile stays: nothing locks records", async () => {
  const finding = findingOf();
  const removal = { by: "unlink", file: at("zone/10.1.0.2"), text: "c1\r\neth0" } as const;
  writeFileSync(at("results/zone-c1-eth0"), "");
  const unlocked = { ...finding, thing: { ...finding.thing, removal } };
  expect(await remove(unlocked, at("results"), () => false)).toBe("its container came back meanwhile");
  expect(leases()).toEqual(["10.1.0.2"]);
});

test("a lease that somebody else got meanwhile stays", async () => {
  const finding = findingOf();
  writeFileSync(at("zone/10.1.0.2"), "c2\r\neth0");
  expect(await remove(finding, at("results"), () => false)).toBe("it changed meanwhile");
  expect(leases()).toEqual(["10.1.0.2"]);
});

test.each([
  ["whose result is another one now", { netns: "/run/netns/none" }, "changed"],
  ["whose namespace is back", { netns: "/proc/self/ns/net" }, undefined],
])("a lease of an attachment %s stays", async (_, more, change) => {
  const { text } = resultOf("c1", "10.1.0.2", more);
  const known = knownOf("c1", "10.1.0.2", [], more);
  const result = known.result && { ...known.result, file: at("results/x") };
  writeFileSync(at("results/x"), change ?? text);
  expect(await remove(findingOf({ known: { ...known, result } }), at("results"), () => false)).toBe(
    "its container came back meanwhile",
  );
  expect(leases()).toEqual(["10.1.0.2"]);
});

test("a lease that is gone already is no problem", async () => {
  const finding = findingOf();
  rmSync(at("zone/10.1.0.2"));
  expect(await remove(finding, at("results"), () => false)).toBeUndefined();
});

test("a cache directory that is not there is a mistake", async () => {
  expect(await runCommand(["prune", "--cache-dir", at("none")])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `cni-wrappers: ${at("none")}: there is no such file\n`,
  });
});

test("a result that cannot be read is named, and all is not well", async () => {
  writeFileSync(at("results/zone-c1-eth0"), "{");
  writeFileSync(at("none.conflist"), '{ "cniVersion": "1.0.0", "name": "none", "plugins": [{ "type": "bridge" }] }');
  const options = ["--cache-dir", directory, "--config-dir", directory, "--network", "none"];
  const { exitCode, stderr } = await runCommand(["prune", ...options]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `${at("results/zone-c1-eth0")}: it is not a JSON object; its container counts as running\n`,
  });
});

/** How prune ends: how often a person is asked, and the results that are left. */
type Outcome = { readonly exitCode: number; readonly asked: number; readonly left: number };

test.each<[string, string[], boolean | undefined, Outcome]>([
  ["only tells without --write", [], true, { exitCode: 1, asked: 0, left: 1 }],
  ["removes with --write where nobody can be asked", ["--write"], undefined, { exitCode: 0, asked: 0, left: 0 }],
  ["removes what a person agrees to", ["--write"], true, { exitCode: 0, asked: 1, left: 0 }],
  ["leaves what a person wants to keep", ["--write"], false, { exitCode: 1, asked: 1, left: 1 }],
  ["asks nobody with --yes", ["--write", "--yes"], false, { exitCode: 0, asked: 0, left: 0 }],
  ["asks nobody if nothing can go", ["--write", "loop"], true, { exitCode: 2, asked: 0, left: 1 }],
  ["asks if one of two things can go", ["--write", "loop", "more"], true, { exitCode: 2, asked: 1, left: 1 }],
])("prune %s", async (_, given, answer, expected) => {
  vi.stubEnv("PATH", directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ["__VERSION__", "__COMMIT__"]) vi.stubGlobal(name, "1.2.3");
  onTestFinished(() => void vi.unstubAllGlobals());
  redirect("/var/lib/cni", directory);
  const readdir = fs.readdirSync;
  const noProcesses = ((path: string) => (path === "/proc" ? [] : readdir(path))) as typeof fs.readdirSync;
  onTestFinished(replaceFileFunctions({ readdirSync: noProcesses }));
  writeFileSync(at("ip"), "#!/bin/sh\necho '[]'\n", { mode: 0o755 });
  const config = '{ "cniVersion": "1.0.0", "name": "none", "plugins": [{ "type": "bridge" }] }';
  writeFileSync(at("none.conflist"), config);
  symlinkSync("loop", at("loop"));
  const paths = [...(given.includes("loop") ? [at("loop")] : []), ...(given.at(-1) === "loop" ? [] : ["/none"])];
  const text = { networkName: "none", config: Buffer.from(config).toString("base64") };
  for (const [index, netns] of paths.entries())
    writeFileSync(at(`results/none-c${index}-eth0`), resultOf(`c${index}`, `10.1.0.${index}`, { ...text, netns }).text);
  let asked = 0;
  const confirm = async () => {
    asked++;
    return answer === true;
  };
  const options = ["--cache-dir", directory, "--config-dir", directory, "--cni-path", directory, "--network", "none"];
  const { exitCode } = await runCommand(["prune", ...options, ...given.filter((word) => word.startsWith("-"))], {
    confirm: answer === undefined ? undefined : confirm,
  });
  expect({ exitCode, asked, left: readdirSync(at("results")).length }).toEqual(expected);
});
