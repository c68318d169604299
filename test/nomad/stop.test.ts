import { describe, expect, test } from "vitest";
import { bridge, firewall, macvlan, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import { jobOf } from "./jobs.ts";
import { NomadLab } from "./nomad-lab.ts";

const portmap = { type: "portmap", capabilities: { portMappings: true }, snat: true };
const masqueraded = { ...bridge, ipMasq: true };
const everything = zone(wrapped(macvlan), wrapped(masqueraded, "eth1"), firewall, portmap);
const ports = { web: 8080, other: 0 };

describe("a job is stopped", () => {
  test("after a restart of the client: no lease, link, rule, record or cached result is left", async () => {
    await using nomad = await NomadLab.start({ networks: [everything] });
    await nomad.run(jobOf({ network: "cni/zone", count: 1, ports }));
    expect((await rulesOfContainers(nomad.lab)).length).toBeGreaterThan(0);
    await nomad.restartClient();
    await nomad.stop("job");
    await expectNothingLeft(nomad);
  });

  test("the same when the namespaces had disappeared", async () => {
    await using nomad = await NomadLab.start({ networks: [everything] });
    await nomad.run(jobOf({ network: "cni/zone", count: 1, ports }));
    await nomad.loseNamespaces("job");
    await nomad.stop("job");
    await expectNothingLeft(nomad);
  });

  test("when the namespaces had disappeared, one plain bridge leaves its masquerading rules behind, and nothing else", async () => {
    await using nomad = await NomadLab.start({ networks: [zone(masqueraded)] });
    await nomad.run(jobOf({ network: "cni/zone" }));
    await nomad.loseNamespaces("job");
    await nomad.stop("job");
    expect(await nomad.lab.kernel.cachedResults()).toEqual([]);
    expect(await nomad.lab.kernel.leases()).toEqual([]);
    const rules = await rulesOfContainers(nomad.lab);
    expect(rules).toContainEqual(expect.stringMatching(/-A POSTROUTING -s 172\.26\.64\.\d+\/32 /));
    expect(rules.filter((rule) => !/^-A (POSTROUTING|CNI-[0-9a-f]{24})|^:CNI-[0-9a-f]{24} /.test(rule))).toEqual([]);
  });

  test("in cniVersion 1.1.0 Nomad sends STATUS first, without names; DEL follows, and nothing is left", async () => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces("1.1.0")], recorded: true });
    await nomad.run(jobOf({ network: "cni/zone" }));
    await nomad.stop("job");
    const calls = (await nomad.lab.records()).filter(({ plugin }) => plugin.endsWith("-wrapper"));
    const verbs = calls.map(({ env }) => env.CNI_COMMAND).filter((verb) => verb !== undefined && verb !== "VERSION");
    expect(verbs).toEqual(["ADD", "ADD", "STATUS", "STATUS", "DEL", "DEL"]);
    for (const { env, exitCode } of calls.filter(({ env: { CNI_COMMAND } }) => CNI_COMMAND === "STATUS")) {
      expect([env.CNI_CONTAINERID, env.CNI_NETNS, env.CNI_IFNAME, env.CNI_ARGS]).toEqual(["", "", "", ""]);
      expect(exitCode).toBe(0);
    }
    await expectNothingLeft(nomad);
  });
});

async function expectNothingLeft(nomad: NomadLab): Promise<void> {
  const { kernel } = nomad.lab;
  expect(await kernel.leases()).toEqual([]);
  expect(await kernel.cachedResults()).toEqual([]);
  expect(await nomad.lab.kernel.journals()).toEqual([]);
  expect(await rulesOfContainers(nomad.lab)).toEqual([]);
  await expect.poll(() => kernel.linkNames()).toEqual(["lo", "uplink1", "uplink0", "disc0"]);
  expect(await nomad.taskCount()).toBe(0);
}
