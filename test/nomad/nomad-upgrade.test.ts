import { expect, test } from "vitest";
import { bridge, hostLocal, macvlan, twoInterfaces, wrapped } from "../e2e/support.ts";
import { leftovers } from "../support/leftovers.ts";
import { nomad, oldestNomad, versionOf } from "../support/nomad.ts";
import type { NetworkList } from "../support/runtime.ts";
import { jobOf } from "./jobs.ts";
import { isComplaint, isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { isSound } from "./survey.ts";
import { until } from "./until.ts";
import { judge } from "./verdict.ts";

const four: NetworkList = {
  cniVersion: "0.4.0",
  name: "four",
  plugins: [
    wrapped({ ...bridge, bridge: "disc4", ipam: hostLocal("10.41.0.0/24") }),
    wrapped({ ...macvlan, ipam: hostLocal("172.16.6.0/24") }, "eth1"),
    wrapped({ type: "ptp", ipam: hostLocal("10.42.0.0/24") }, "eth2"),
    wrapped({ ...bridge, bridge: "disc5", ipam: hostLocal("10.43.0.0/24") }, "eth3"),
  ],
};

test("Nomad 1.9.5 is upgraded in place: 10 allocations of two interfaces and 10 of four survive", {
  timeout: 900_000,
}, async (context) => {
  const newer = await nomad();
  const newVersion = await versionOf(newer);
  expect(newVersion).not.toBe(oldestNomad);
  await using host = await NomadLab.start({
    version: oldestNomad,
    networks: [twoInterfaces(), four],
    // A busy machine needs long for 20 allocations.
    patience: 200,
    programs: { "nomad-newer": newer },
    prepare: async (lab) => {
      await lab.ip(undefined, "address", "add", "172.16.6.1/24", "dev", "uplink1");
    },
  });
  const surveyAll = async () => [...(await host.survey("two")), ...(await host.survey("four"))];
  const version = async () => (await host.node())?.Attributes["nomad.version"];
  await host.run(jobOf({ id: "two", network: "cni/zone", count: 10 }));
  await host.run(jobOf({ id: "four", network: "cni/four", count: 10 }));
  expect(await version()).toBe("1.9.5");
  const before = await surveyAll();
  expect(before.filter(isSound)).toHaveLength(20);
  expect(before.map(({ addresses }) => Object.keys(addresses).sort().join())).toEqual([
    ...Array(10).fill("eth0,eth1"),
    ...Array(10).fill("eth0,eth1,eth2,eth3"),
  ]);
  await upgrade(host);
  const seconds = await host.untilLogged(20, isPassedCheck);
  await until("the newer client", async () => (await version()) === newVersion);
  expect(judge(context, before, await surveyAll(), seconds)).toMatchObject({ allocations: 20, survived: 20 });
  const ids = before.map(({ id }) => id);
  expect((await host.logLines()).filter((line) => isComplaint(line, ids))).toEqual([]);
  await host.stop("two");
  await host.stop("four");
  await expect.poll(() => leftovers(host.lab, ["disc0", "disc4", "disc5"])).toEqual([]);
});

/** Replaces the program under its path. The server goes first, as Nomad's guide says. */
async function upgrade(host: NomadLab): Promise<void> {
  await host.server.stop();
  await host.lab.run("mount", ["--bind", "/run/lab/programs/nomad-newer", "/run/lab/programs/nomad"]);
  await host.startServer();
  await host.restartClient();
}
