import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { twoInterfaces } from "../e2e/support.ts";
import type { Lab, Outcome } from "../support/lab.ts";
import { nativeProgram } from "../support/native.ts";
import { ownFolder } from "../support/own-folder.ts";
import { architecture, type RolloutArchives, writeArchives } from "../support/rollout-archives.ts";
import { built, copyOfTree, root, scratch } from "../support/tree.ts";
import { version } from "../support/version.ts";
import { Cluster, shell } from "./cluster.ts";
import { jobOf } from "./jobs.ts";
import { type AllocationState, isSound, survived } from "./survey.ts";
import { until } from "./until.ts";

const page = readFileSync(path.join(root, "docs/operations.md"), "utf8");
const [, section = ""] = /^### Roll out with Nomad$(.*?)^##+ /ms.exec(page) ?? [];
/** The page's blocks: a canary, all clients, new clients. */
const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands);

const address = "10.77.0.1:8080";
const executable = "/opt/cni/bin/cni-wrappers";
test("the jobs install on a canary, on all clients and on a new one, and a version whose CHECK fails goes back", {
  timeout: 1_200_000,
}, async () => {
  const [canary = "", all = "", newClients = ""] = blocks;
  expect(blocks).toHaveLength(3);
  const tree = copyOfTree();
  const old = await executableOf(tree, "0.0.1");
  const broken = await nativeProgram("failing");
  const good = path.join(built("bin"), "cni-wrappers");
  const directory = scratch();
  cpSync(path.join(root, "conf-examples"), path.join(directory, "conf-examples"), { recursive: true });
  const archives = await writeArchives(directory, { [version]: good, "9.9.9": broken });
  const rollout = (name: string) => {
    const variables = variablesOf(name, archives[name] as RolloutArchives);
    writeFileSync(path.join(directory, "conf-examples/nomad-jobs/rollout.hcl"), variables);
  };
  await using cluster = await Cluster.start(2, (lab) => prepare(lab, old));
  const { server, clients } = cluster;
  void server.start("busybox", ["httpd", "-f", "-p", address, "-h", directory], "/run/lab/httpd.log");
  const run = (commands: string) => shell(server, commands, directory);
  const sumsOf = () => Promise.all(clients.map(({ lab }) => checksum(lab, executable)));
  const [oldSum, goodSum] = [await checksum(server, old), await checksum(server, good)];
  const job = jobOf({ id: "web", network: "cni/zone", count: clients.length, isLean: true });
  const groups = job.TaskGroups.map((group) => ({ ...group, Constraints: [{ Operand: "distinct_hosts" }] }));
  await cluster.run({ ...job, TaskGroups: groups }, clients.length);
  const before = await surveys(cluster);
  expect(before.filter(isSound)).toHaveLength(clients.length);
  const expectAlive = async () => {
    const after = await surveys(cluster);
    expect(before.filter((state) => survived(state, after))).toHaveLength(clients.length);
  };

  rollout(version);
  expectEnded(await run(canary), 0);
  expect(await sumsOf()).toEqual([goodSum, oldSum]);
  // SIGHUP: the client reads the version again without a restart.
  await until("the canary's new version", async () => (await versionsOf(cluster))[0] === `v${version}`);
  expect(await versionsOf(cluster)).toEqual([`v${version}`, "v0.0.1"]);
  expectEnded(await run(all), 0);
  expect(await sumsOf()).toEqual([goodSum, goodSum]);
  await until("the new version", async () => (await versionsOf(cluster))[1] === `v${version}`);
  await expectAlive();
  // The other jobs run the commands that this one put into PATH.
  const preflight = await run("cd conf-examples/nomad-jobs; ./fleet.sh preflight");
  expectEnded(preflight, 0);
  expect(preflight.stdout.match(/"passes"/g)).toHaveLength(clients.length);

  rollout("9.9.9");
  const failed = await run(all);
  expectEnded(failed, 1);
  expect(failed.stderr).toMatch(/(1 containers fail CHECK now, and 0 failed it before\n.*){2}/s);
  expect(await sumsOf()).toEqual([goodSum, goodSum]);
  await expectAlive();

  rollout(version);
  await run("nomad job stop -purge web");
  await until("stopped allocations", async () => (await surveys(cluster)).length === 0);
  const fresh = clients[1]?.lab as Lab;
  // A client that no server has seen before, and that has no wrappers.
  await shell(
    fresh,
    "systemctl stop nomad; cd /opt/cni/bin; rm -r /var/lib/nomad .cni-wrappers cni-wrappers *-wrapper",
  );
  expectEnded(await run(newClients), 0);
  await shell(fresh, "systemctl start nomad");
  await until("the wrappers on the new client", async () => (await versionsOf(cluster))[1] === `v${version}`);
  expect(await sumsOf()).toEqual([goodSum, goodSum]);
});

/** Builds the Node flavor with another version number. Returns the executable. */
async function executableOf(tree: string, version: string): Promise<string> {
  const file = path.join(tree, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version }));
  await execa(process.execPath, ["build/build.ts"], { cwd: tree });
  const made = path.join(tree, `cni-wrappers-${version}`);
  copyFileSync(path.join(tree, "dist/bin/cni-wrappers"), made);
  return made;
}

function variablesOf(version: string, { slim, tools }: RolloutArchives): string {
  return `release = "http://${address}"
version = "${version}"
arch = "${architecture}"
checksum = "${slim}"
tools_checksum = "${tools}"
`;
}

/** A host on which `install` put an old version of the wrappers, with a list for two interfaces. */
async function prepare(lab: Lab, old: string): Promise<void> {
  await ownFolder(lab, "/usr/local/bin");
  await lab.run("sh", ["-ec", "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper; mkdir ../config"]);
  await lab.run(old, ["install", "--from", old]);
  await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(twoInterfaces()));
}

async function checksum(lab: Lab, file: string): Promise<string> {
  return (await lab.run("sha256sum", [file])).slice(0, 64);
}

function versionsOf({ clients }: Cluster): Promise<(string | undefined)[]> {
  return Promise.all(
    clients.map(async ({ lab }) => {
      const { exitCode, stdout } = await shell(lab, "nomad node status -self -json");
      return exitCode === 0 ? JSON.parse(stdout).Attributes["plugins.cni.version.bridge-wrapper"] : undefined;
    }),
  );
}

async function surveys(cluster: Cluster): Promise<AllocationState[]> {
  return (await Promise.all(cluster.clients.map((client) => cluster.survey("web", client)))).flat();
}

function expectEnded({ exitCode, stdout, stderr }: Outcome, wanted: number): void {
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: wanted });
}
