import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { front, hostLocal, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { earlierRelease, hasEarlierRelease } from "../support/earlier-release.ts";
import type { Lab } from "../support/lab.ts";
import { leftovers } from "../support/leftovers.ts";
import { copyOfTree, root } from "../support/tree.ts";
import { version as builtVersion } from "../support/version.ts";
import { jobOf } from "./jobs.ts";
import { isComplaint, isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { isSound } from "./survey.ts";
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

test.skipIf(!hasEarlierRelease())(
  "0.2.0, which kept no journals, is upgraded in place: 20 allocations of two lists survive two restarts, and leave nothing",
  { timeout: 900_000 },
  async (context) => {
    const ptp = { type: "ptp", ipam: hostLocal("10.50.0.0/24") };
    const routed = { ...zone(wrapped(ptp), wrapped(front, "eth1"), wrapped({ type: "sbr" }, "eth1")), name: "routed" };
    const release = await earlierRelease();
    await using nomad = await NomadLab.start({
      networks: [twoInterfaces(), routed],
      wrappers: release,
      prepare: installCopies,
      patience,
    });
    await nomad.run(jobOf({ network: "cni/zone", count: 10 }));
    await nomad.run(jobOf({ id: "routed", network: "cni/routed", count: 10 }));
    const survey = async () => [...(await nomad.survey("job")), ...(await nomad.survey("routed"))];
    const before = await survey();
    expect(before.filter(isSound)).toHaveLength(20);
    // 0.2.0 has left files, and no directories.
    const recorded = await nomad.lab.readdir("/var/lib/cni/wrappers");
    expect(recorded.filter((name) => name.includes(":eth1"))).not.toEqual([]);
    expect(await nomad.lab.kernel.journals()).toEqual(recorded);
    for (const meanwhile of [() => upgrade(nomad.lab, root), async () => undefined]) {
      await nomad.restartClient(meanwhile);
      const seconds = await nomad.untilLogged(20, isPassedCheck);
      expect(judge(context, before, await survey(), seconds)).toMatchObject({ survived: 20 });
    }
    await nomad.stop("job");
    await nomad.stop("routed");
    await expect.poll(() => leftovers(nomad.lab, ["disc0", "front0"])).toEqual([]);
  },
);

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
