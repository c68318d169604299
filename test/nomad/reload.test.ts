import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { bridge, hostLocal, macvlan, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { referencePlugins } from "../support/go.ts";
import type { Outcome } from "../support/lab.ts";
import { nomadVersions, oldestNomad } from "../support/nomad.ts";
import type { NetworkList } from "../support/runtime.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isFailedCheck, isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { type AllocationState, isSound } from "./survey.ts";
import { until } from "./until.ts";
import { judge } from "./verdict.ts";

const ptp = { type: "ptp", ipam: hostLocal("10.50.0.0/24") };
const bridgeAttribute = "plugins.cni.version.bridge";

async function write(nomad: NomadLab, list: NetworkList): Promise<void> {
  await nomad.lab.writeFile(`/opt/cni/config/${list.name}.conflist`, JSON.stringify(list));
}

function interfacesOf(states: readonly AllocationState[]): string[] {
  return states.map(({ addresses }) => Object.keys(addresses).sort().join());
}

/** Runs `status` where it can ask the client for its directories. */
function status({ lab }: NomadLab, ...options: string[]): Promise<Outcome> {
  const env = { NOMAD_ADDR: "http://127.0.0.1:5646" };
  return lab.call("/opt/cni/bin/cni-wrappers", ["status", ...options], { env });
}

describe.each(nomadVersions.filter((version) => version !== "1.10.5"))("status asks Nomad %s", (version) => {
  const networks = [twoInterfaces()];

  test("where it looks, and which list it has not loaded: a reload loads it", async () => {
    await using nomad = await NomadLab.start({ networks, version });
    const answer = async () => JSON.parse((await status(nomad, "--json")).stdout);
    await write(nomad, { ...zone(wrapped(ptp)), name: "later" });
    const { directories, agent } = await answer();
    expect(directories).toMatchObject({ lists: ["/opt/cni/config"], from: { lists: "agent", plugins: "agent" } });
    expect(agent).toEqual({ problem: null, differs: [], notLoaded: ["later"] });
    await nomad.client.reload();
    await until("the new network", async () => (await answer()).agent.notLoaded.length === 0);
  });

  test("a cni_path with a typing error: the client starts, and status says which plugins it does not find", async () => {
    await using nomad = await NomadLab.start({ networks, version, cniPath: "/opt/cni/bni" });
    const { exitCode, stdout } = await status(nomad);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("plugins in /opt/cni/bni (Nomad's)");
    for (const type of ["macvlan-wrapper", "bridge-wrapper"])
      expect(stdout).toMatch(
        new RegExp(`/opt/cni/config/zone\\.conflist:1:\\d+: no directory of --cni-path has ${type} `),
      );
  });

  test("a list that is cut off: status names it while the client runs, which then does not start", async () => {
    await using nomad = await NomadLab.start({ networks, version });
    expect(await status(nomad)).toMatchObject({ exitCode: 0, stderr: "" });
    await nomad.lab.writeFile("/opt/cni/config/later.conflist", "{");
    const { exitCode, stderr } = await status(nomad);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("/opt/cni/config/later.conflist:1:2: a closing brace is missing");
    await nomad.client.stop();
    await nomad.client.start();
    const end = nomad.client.until("the client's end", async () => false);
    await expect(end).rejects.toThrow(/^the client ended: .*later\.conflist/);
  });
});

describe("the client gets SIGHUP", () => {
  test("a list has other options, and another list is new: running allocations notice nothing, also on a restart", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    await nomad.run(jobOf({ id: "old", network: "cni/zone", count: 3 }));
    const before = await nomad.survey("old");
    expect(before.filter(isSound)).toHaveLength(3);
    await write(nomad, zone(wrapped(macvlan), wrapped({ ...bridge, mtu: 1400 }, "eth1")));
    await write(nomad, { ...zone(wrapped(ptp)), name: "later" });
    await nomad.client.reload();
    await until("the new network", async () => JSON.stringify(await nomad.node()).includes('"cni/later"'));
    await nomad.run(jobOf({ id: "changed", network: "cni/zone" }));
    await nomad.run(jobOf({ id: "new", network: "cni/later" }));
    expect(await nomad.survey("old")).toEqual(before);
    const added = [...(await nomad.survey("changed")), ...(await nomad.survey("new"))];
    expect(added.filter(isSound)).toHaveLength(2);
    expect(interfacesOf(added)).toEqual(["eth0,eth1", "eth0"]);
    expect(await mtuOf(nomad, before)).toBe(1500);
    expect(await mtuOf(nomad, added)).toBe(1400);
    await nomad.restartClient();
    const seconds = await nomad.untilLogged(5, isPassedCheck);
    const after = [...(await nomad.survey("old")), ...(await nomad.survey("changed")), ...(await nomad.survey("new"))];
    expect(judge(context, [...before, ...added], after, seconds)).toMatchObject({ allocations: 5, survived: 5 });
  });

  test("a list has one more interface: a new allocation gets it, and a restart checks the old ones for it", async () => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    await nomad.run(jobOf({ id: "old", network: "cni/zone" }));
    await write(nomad, zone(wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(ptp, "eth2")));
    await nomad.client.reload();
    await nomad.run(jobOf({ id: "new", network: "cni/zone" }));
    const states = [...(await nomad.survey("old")), ...(await nomad.survey("new"))];
    expect(states.filter(isSound)).toHaveLength(2);
    expect(interfacesOf(states)).toEqual(["eth0,eth1", "eth0,eth1,eth2"]);
    await nomad.restartClient();
    await nomad.untilLogged(1, isPassedCheck);
    await nomad.untilLogged(1, isFailedCheck);
    const failed = (await nomad.logLines()).filter(isFailedCheck);
    expect(failed.map(({ alloc_id }) => alloc_id)).toEqual([states[0]?.id]);
    expect(errorsOf(failed)).toEqual([expect.stringMatching(/\beth2\b/)]);
  });

  test.for([
    { title: "1.11.2 and later", version: undefined, seen: "v1.10.0" },
    { title: "1.9.5", version: oldestNomad, seen: "v1.2.0" },
  ] as const)("the plugins 1.2.0 are now 1.10.0: Nomad $title says $seen", async ({ version, seen }) => {
    const newer = await referencePlugins();
    const networks = [twoInterfaces()];
    await using nomad = await NomadLab.start({ networks, plugins: "1.2.0", ...(version && { version }) });
    const bridgeVersion = async () => (await nomad.node())?.Attributes[bridgeAttribute];
    expect(await bridgeVersion()).toBe("v1.2.0");
    await nomad.lab.replacePlugins(newer);
    // The new list shows when the client has read everything again.
    await write(nomad, { ...zone(wrapped(ptp)), name: "later" });
    await nomad.client.reload();
    await until("the new network", async () => JSON.stringify(await nomad.node()).includes('"cni/later"'));
    await expect.poll(bridgeVersion, { timeout: 20_000 }).toBe(seen);
    // An older Nomad would need time to be wrong.
    await setTimeout(5_000);
    expect(await bridgeVersion()).toBe(seen);
    await nomad.restartClient();
    await expect.poll(bridgeVersion, { timeout: 20_000 }).toBe("v1.10.0");
  });
});

async function mtuOf({ lab }: NomadLab, [state]: readonly AllocationState[]): Promise<number> {
  const name = state?.id ?? "";
  return (await lab.kernel.link({ name, netns: `/run/netns/${name}` }, "eth1")).mtu;
}
