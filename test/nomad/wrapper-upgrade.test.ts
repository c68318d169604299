import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { twoInterfaces } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { leftovers } from "../support/leftovers.ts";
import { copyOfTree } from "../support/tree.ts";
import { version as builtVersion } from "../support/version.ts";
import { jobOf } from "./jobs.ts";
import { isComplaint, isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { judge, soundRun } from "./verdict.ts";

// A busy machine needs long for 20 allocations.
const patience = 200;

test("the wrappers are upgraded in place, before a restart and again and again during one: 20 allocations survive", {
  timeout: 900_000,
}, async (context) => {
  const tree = copyOfTree();
  await buildAs(tree, "7.0.0");
  await using nomad = await NomadLab.start({ networks: [twoInterfaces()], prepare: installCopies, patience });
  const version = async () => (await nomad.node())?.Attributes["plugins.cni.version.bridge-wrapper"];
  expect(await version()).toBe(`v${builtVersion}`);
  const before = await soundRun(nomad, jobOf({ network: "cni/zone", count: 20 }), 20);
  await upgrade(nomad.lab, tree);
  expect(await nomad.survey("job")).toEqual(before);
  for (const meanwhile of [() => nomad.startClient(), () => startDuringUpgrades(nomad, tree)]) {
    await nomad.client.stop();
    await meanwhile();
    const seconds = await nomad.untilLogged(20, isPassedCheck);
    expect(await version()).toBe("v7.0.0");
    expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ survived: 20 });
    const ids = before.map(({ id }) => id);
    expect((await nomad.logLines()).filter((line) => isComplaint(line, ids))).toEqual([]);
  }
  await nomad.stop("job");
  await expect.poll(() => leftovers(nomad.lab, ["disc0"])).toEqual([]);
});

async function buildAs(tree: string, version: string): Promise<void> {
  const file = path.join(tree, "package.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), version }));
  await execa(process.execPath, ["build/build.ts"], { cwd: tree });
}

// A file that is a mount cannot be replaced.
async function installCopies(lab: Lab): Promise<void> {
  await lab.run("sh", [
    "-ec",
    "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper; cp -P /run/lab/wrappers/* .",
  ]);
}

async function upgrade(lab: Lab, tree: string): Promise<void> {
  const commands = [
    "cp -rP dist/bin /opt/cni/bin.new",
    "mv -f /opt/cni/bin.new/* /opt/cni/bin/",
    "rmdir /opt/cni/bin.new",
  ];
  await lab.run("sh", ["-ec", `cd ${tree}; ${commands.join("; ")}`]);
}

/** Starts the client, and replaces the wrappers until it has checked every allocation. */
async function startDuringUpgrades(nomad: NomadLab, tree: string): Promise<void> {
  let isDone = false;
  const check = async () => {
    await nomad.startClient();
    await nomad.untilLogged(20, isPassedCheck);
  };
  const upgrades = async () => {
    while (!isDone) await upgrade(nomad.lab, tree);
  };
  const checked = check().finally(() => {
    isDone = true;
  });
  await Promise.all([checked, upgrades()]);
}
