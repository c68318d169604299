import { readFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { bridge, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { leftovers } from "../support/leftovers.ts";
import { ownFolder } from "../support/own-folder.ts";
import { built, copyOfTree, root } from "../support/tree.ts";
import { Cluster, type ClusterClient, shell } from "./cluster.ts";
import { jobOf } from "./jobs.ts";
import { isPassedCheck } from "./log.ts";
import { type Block, blocksOf, isShown } from "./readme-blocks.ts";
import { installScripts, scriptPath } from "./scripts.ts";
import { isSound, survived } from "./survey.ts";
import { until } from "./until.ts";

// The README's commands, to the letter, and what the page says that they print.

const page = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = blocksOf(page);
const ran = new Set<Block>();

/** The name of the list. */
const name = "zone";
const configuration = "/run/lab/client.hcl";

test("See it: the demo", async () => {
  const [demo] = blocksIn("See it");
  const { all } = await execa("sh", ["-ec", demo.commands], { cwd: root, all: true });
  expectShown(demo, all);
});

test("Install: a host without the wrappers gets them and a list, and a container has both interfaces", {
  timeout: 600_000,
}, async () => {
  const [install, write] = blocksIn("Install");
  const [verify] = blocksIn("Verify");
  const tree = copyOfTree();
  await using cluster = await Cluster.start(1, withoutWrappers);
  const [client] = cluster.clients as [ClusterClient];
  // This machine's PATH leads to Node and cargo.
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  const commands = ["-ec", `exec 2>&1\ncd ${tree}\n${install.commands}`];
  expectShown(install, await client.lab.run("sh", commands, { env }));
  expect(await client.lab.run("/opt/cni/bin/macvlan-wrapper")).toMatch(/^Flavor: slim$/m);
  expect(await client.lab.run("/usr/local/bin/cni-wrappers", ["version"])).toMatch(/^flavor +node$/m);
  await run(client, write);
  await untilLoaded(client);
  const [mode = ""] = /(?<=mode = ")cni\/\w+/.exec(page) ?? [];
  await cluster.run(jobOf({ network: mode, count: 2 }), 2);
  expect((await cluster.survey("job", client)).filter(isSound)).toHaveLength(2);
  await run(client, verify);
});

test("Migrate, Verify and Undo: the containers of a script survive, and nothing of the wrappers is left", {
  timeout: 900_000,
}, async () => {
  await using cluster = await Cluster.start(2, withScript, scriptPath);
  const [client, other] = cluster.clients as [ClusterClient, ClusterClient];
  await setEligible(other, false);
  await cluster.run(jobOf({ network: `cni/${name}`, count: 2 }), 2);
  const before = await cluster.survey("job", client);
  expect(before.filter(isSound)).toHaveLength(2);

  const [uses] = blocksIn("Is it yours?");
  await run(client, uses);
  await installFrom(client.lab, "slim/bin");
  const [...steps] = blocksIn("Migrate");
  const restart = steps.pop() as Block;
  for (const step of steps) await run(client, step);
  const checked = await passedChecks(client);
  // The script has a plugin's name: its directory leaves cni_path.
  await client.lab.run("sed", ["-i", 's|cni_path = .*|cni_path = "/opt/cni/bin"|', configuration]);
  await run(client, restart);
  await until("checked allocations", async () => (await passedChecks(client)) === checked + 2);
  const [verify] = blocksIn("Verify");
  await run(client, verify);
  const after = await cluster.survey("job", client);
  expect(before.filter((state) => survived(state, after))).toHaveLength(2);

  // A second run changes nothing: the old list is the one that Undo finds.
  const again = await shell(client.lab, restart.commands);
  expect(again.stderr).toContain("zone.conflist.new");
  expect(again.exitCode).not.toBe(0);

  const [version, list, all] = blocksIn("Undo");
  // An upgrade that goes back.
  await installFrom(client.lab, "bin");
  await run(client, version);
  expect(await client.lab.run("/opt/cni/bin/macvlan-wrapper")).toMatch(/^Flavor: slim$/m);
  await setEligible(other, true);
  await untilLoaded(other);
  await client.lab.run("sed", ["-i", `s|cni_path = .*|cni_path = "${scriptPath}"|`, configuration]);
  await run(client, list);
  await cluster.untilReady();
  // A drain does not wait for the last of the new allocations.
  const isMoved = async () => (await cluster.survey("job", other)).filter(isSound).length === 2;
  await until("both allocations at the other client", isMoved);
  expect(await client.lab.readFile(`/opt/cni/config/${name}.conflist`)).not.toContain("wrapper");
  await run(client, all);
  expect((await client.lab.readdir("/opt/cni/bin")).filter((file) => file.includes("wrapper"))).toEqual([]);
  await expect.poll(() => leftovers(client.lab, ["disc0", "ens18", "net0"])).toEqual([]);
});

test("every block of the README ran", () => {
  expect(blocks.filter((block) => !ran.has(block))).toEqual([]);
});

function blocksIn(section: string): readonly [Block, Block, Block, ...Block[]] {
  return blocks.filter((block) => block.section === section) as [Block, Block, Block, ...Block[]];
}

async function run({ lab }: ClusterClient, block: Block): Promise<void> {
  const { exitCode, stdout } = await shell(lab, `exec 2>&1\n${block.commands}`);
  expect(exitCode, stdout).toBe(exitCodeOf(block));
  expectShown(block, stdout);
}

/** status ends with 1 while the list is the old one. */
function exitCodeOf({ section, commands }: Block): number {
  return section === "Migrate" && commands === "cni-wrappers status" ? 1 : 0;
}

function expectShown(block: Block, output: string): void {
  ran.add(block);
  expect(isShown(block.shown, output), `${block.shown}\n--- is shown; it prints:\n${output}`).toBe(true);
}

async function setEligible({ lab }: ClusterClient, isEligible: boolean): Promise<void> {
  await shell(lab, `nomad node eligibility -${isEligible ? "enable" : "disable"} -self`);
}

async function untilLoaded({ lab }: ClusterClient): Promise<void> {
  await until("the network", async () =>
    (await shell(lab, "nomad node status -self -json")).stdout.includes(`cni/${name}`),
  );
}

async function passedChecks({ agent }: ClusterClient): Promise<number> {
  return (await agent.allLines()).filter(isPassedCheck).length;
}

/** Installs both flavors of this build as the README does; the wrappers come from this folder of the build. */
async function installFrom(lab: Lab, folder: string): Promise<void> {
  const commands = `install ${built("bin")}/cni-wrappers /usr/local/bin/\ncni-wrappers install --from ${built(folder)}/cni-wrappers`;
  const { exitCode, stderr } = await shell(lab, commands);
  expect(exitCode, stderr).toBe(0);
}

// A host with the reference plugins and without the wrappers.
async function withoutWrappers(lab: Lab): Promise<void> {
  await ownFolder(lab, "/usr/local/bin");
  await lab.run("sh", ["-ec", "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper; mkdir ../config"]);
  await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
  await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
}

async function withScript(lab: Lab): Promise<void> {
  await withoutWrappers(lab);
  await installScripts("merge-only")(lab);
  const range = { subnet: "172.16.5.0/24", rangeStart: "172.16.5.100", rangeEnd: "172.16.5.149" };
  const ipam = { type: "host-local", ranges: [[range]] };
  const list = zone({ type: "macvlan", master: "ens18", ipam }, bridge);
  await lab.writeFile(`/opt/cni/config/${name}.conflist`, `${JSON.stringify(list, null, 2)}\n`);
}
