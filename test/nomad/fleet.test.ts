import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Outcome } from "../support/lab.ts";
import { architecture } from "../support/rollout-archives.ts";
import { version } from "../support/version.ts";
import { Cluster, shell } from "./cluster.ts";
import { cloneWithArchives, installOldList, jobOnEachHost, newList, oldList, surveysOf } from "./fleet.ts";
import { isSound, survived } from "./survey.ts";

const clients = 3;
const each = 2;
const file = "/opt/cni/config/zone.conflist";

test("a list is distributed, the rolling restart stops at the second client and goes on after the cure, and the list goes back", {
  timeout: 1_200_000,
}, async () => {
  const directory = await cloneWithArchives();
  const jobs = path.join(directory, "conf-examples/nomad-jobs");
  const archive = (name: string) => `${directory}/dist/release/${name}-linux-${architecture}-v${version}.tgz`;
  const install = `tar -xzf ${archive("cni-wrappers-tools")} -C /usr/local/bin ./cni-wrappers
cni-wrappers install --from ${archive("cni-wrappers")}`;
  await using cluster = await Cluster.start(clients, async (lab) => {
    await installOldList(lab);
    expect(await shell(lab, install)).toMatchObject({ exitCode: 0 });
  });
  const labs = cluster.clients.map(({ lab }) => lab);
  await cluster.run(jobOnEachHost(clients, each), clients * each);
  const before = await surveysOf(cluster);
  expect(before.filter(isSound)).toHaveLength(clients * each);
  const alive = async () => {
    const after = await surveysOf(cluster);
    return before.filter((state) => survived(state, after)).length;
  };
  const fleet = (args: string) => shell(cluster.server, `./fleet.sh ${args}`, jobs);
  const lists = () => Promise.all(labs.map(async (lab) => JSON.parse(await lab.readFile(file))));
  const pids = () => Promise.all(labs.map((lab) => lab.readFile("/run/lab/client.pid")));
  const isRestarted = async (old: string[]) => (await pids()).map((pid, index) => pid !== old[index]);

  const broken = { ...newList, plugins: newList.plugins.slice(0, 1) };
  writeFileSync(path.join(jobs, "zone.conflist"), JSON.stringify({ ...broken, plugins: [{ type: "macvlan-rapper" }] }));
  const refused = await fleet("list zone.conflist");
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr.match(/client-\d: lint found mistakes, so .* stays as it is/g)).toHaveLength(clients);
  expect(await lists()).toEqual(Array(clients).fill(oldList));

  // A client that restarts between adopt and the list: the list in place checks nothing.
  const third = cluster.clients[2]?.lab;
  await third?.writeFile(`${file}.new`, JSON.stringify(newList));
  const adopted = await shell(third ?? cluster.server, `cni-wrappers adopt --with ${file}.new --write`);
  expect(adopted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${each} adopted`) });
  const [, , pid] = await pids();
  await shell(third ?? cluster.server, "systemctl restart nomad; sleep 8");
  expect((await pids())[2]).not.toBe(pid);
  expect(await alive()).toBe(clients * each);

  writeFileSync(path.join(jobs, "zone.conflist"), JSON.stringify(newList));
  expectDone(await fleet("list zone.conflist"));
  expect(await lists()).toEqual(Array(clients).fill(newList));

  // The second client's containers lose an address: the client would kill them.
  const [, second = labs[0]] = labs;
  const victim = before[each];
  const [lost = ""] = victim?.addresses.eth1 ?? [];
  await second?.ip({ name: victim?.id ?? "", netns: "" }, "address", "delete", lost, "dev", "eth1");
  let old = await pids();
  const stopped = await fleet("restart");
  expect(stopped).toMatchObject({
    exitCode: 1,
    stdout: `client-1: restarted, and ${each} containers pass`,
    stderr: expect.stringMatching(
      /Failed to match addr 172\.26\.64\.\d\/20 on interface eth1.*client-2: these containers would not survive a restart.*stopped at client-2/s,
    ),
  });
  expect(await isRestarted(old)).toEqual([true, false, false]);

  await second?.ip({ name: victim?.id ?? "", netns: "" }, "address", "add", lost, "dev", "eth1");
  old = await pids();
  expect(await fleet("restart")).toMatchObject({
    exitCode: 0,
    stdout: `client-1: done already, since the client started after the newest list
client-2: restarted, and ${each} containers pass
client-3: restarted, and ${each} containers pass`,
  });
  expect(await isRestarted(old)).toEqual([false, true, true]);
  expect(await alive()).toBe(clients * each);

  expectDone(await fleet("back zone.conflist"));
  expectDone(await fleet("adopt --undo"));
  expect(await lists()).toEqual(Array(clients).fill(oldList));
  expect(await alive()).toBe(clients * each);
  expectDone(await fleet("list zone.conflist"));

  const id = `$(nomad node status -t '{{range .}}{{if eq .Name "client-3"}}{{.ID}}{{end}}{{end}}')`;
  const turn = (flag: string) => shell(cluster.server, `nomad node eligibility -${flag} ${id}`);
  expectDone(await turn("disable"));
  const part = await fleet("preflight");
  expect(part).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Nomad ran nothing on client-3: ") });
  expect(part.stdout.split("\n")).toHaveLength(2);
  expectDone(await turn("enable"));

  // The second client is fine before the restart, and its containers are lost in it.
  const flush = `ip -n ${victim?.id} address delete ${lost} dev eth1`;
  await second?.run("sed", [
    "-i",
    `s/stop; start/stop; ${flush.replaceAll("/", "\\/")}; start/`,
    "/run/lab/bin/systemctl",
  ]);
  old = await pids();
  const worse = await fleet("restart");
  expect(worse).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /client-2: 1 containers pass CHECK after the restart, and 2 before\nstopped at client-2: allocation \S+ ran before, and is failed: .*\. The clients after it are as they were\./,
    ),
  });
  expect(await isRestarted(old)).toEqual([true, true, false]);
  expect(await alive()).toBe(clients * each - 1);
});

/** What the commands said is in the message of a failure. */
function expectDone({ exitCode, stderr }: Outcome): void {
  expect({ exitCode, stderr: stderr.slice(-2500) }).toMatchObject({ exitCode: 0 });
}
