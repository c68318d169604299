import { describe, expect, test } from "vitest";
import { hostLocal } from "../e2e/support.ts";
import { listOf } from "../support/examples.ts";
import type { Lab } from "../support/lab.ts";
import { jobOf } from "./jobs.ts";
import { NomadLab } from "./nomad-lab.ts";
import { ask, taskPort } from "./survey.ts";
import { expectUntouched, soundRun } from "./verdict.ts";

const proxyPort = 15001;
const cniArgs = {
  CONSUL_IPTABLES_CONFIG: JSON.stringify({
    ProxyUserID: "101",
    ProxyInboundPort: 20000,
    ProxyOutboundPort: proxyPort,
    // The proxy takes all other inbound traffic.
    ExcludeInboundPorts: [String(taskPort)],
  }),
};

describe("the lists that Nomad makes itself, with a second interface", () => {
  test.for([
    ["nomad-second-interface", ["172.26.80.2/20"], ["172.16.5.100/24"]],
    ["dual-stack", ["172.27.0.2/20", "fd00:27::2/64"], ["172.16.5.100/24", "fd00:5::2/64"]],
    ["ipv6", ["fd00:6::2/64"], ["fd00:5::2/64"]],
    ["nomad-transparent-proxy", ["172.26.112.2/20"], ["172.16.5.100/24"]],
  ] as const)("%s: 2 allocations survive a restart", async ([name, eth0, eth1], context) => {
    const list = listOf(name);
    await using nomad = await NomadLab.start({ networks: [list], prepare });
    await nomad.run(jobOf({ network: `cni/${list.name}`, count: 2, cniArgs }));
    await nomad.untilSound(2);
    const before = await nomad.survey("job");
    expect(before).toContainEqual(expect.objectContaining({ addresses: { eth0, eth1 } }));
    await expectUntouched(nomad, context, before);
    await nomad.stop("job");
    expect(await nomad.lab.kernel.cachedResults()).toEqual([]);
  });

  test("a published port answers on the host, next to Nomad's own rules", async () => {
    const list = listOf("nomad-second-interface");
    await using nomad = await NomadLab.start({ networks: [list], prepare });
    await nomad.run(jobOf({ network: `cni/${list.name}`, ports: { web: 8080 } }));
    const [state] = await nomad.survey("job");
    expect(await ask(nomad.lab, "tcp", "10.99.0.1:8080")).toBe(state?.namespace);
    expect(await nomad.lab.kernel.packetRules()).toContainEqual(expect.stringMatching(/^:NOMAD-ADMIN -/));
  });

  test("the task's traffic goes to the proxy of its own namespace", async () => {
    const list = listOf("nomad-transparent-proxy");
    await using nomad = await NomadLab.start({ networks: [list], prepare });
    await nomad.run(jobOf({ network: `cni/${list.name}`, cniArgs }));
    const [state] = await nomad.survey("job");
    const inside = ["netns", "exec", state?.id ?? "", "/run/lab/drivers/echo"];
    const call = () => nomad.lab.call("ip", [...inside, "ask", "tcp", "203.0.113.1:80"]);
    expect((await call()).exitCode).toBe(1);
    void nomad.lab.start("ip", [...inside, "serve", String(proxyPort)], "/run/lab/proxy.log");
    await expect.poll(async () => (await call()).stdout).toBe(state?.namespace);
  });

  test("without its argument consul-cni refuses the list, and Nomad says so", async () => {
    const list = listOf("nomad-transparent-proxy");
    await using nomad = await NomadLab.start({ networks: [list], prepare });
    await nomad.register(jobOf({ network: `cni/${list.name}` }));
    await nomad.untilStatus("failed", 1);
    expect(await nomad.story()).toContain("not running in a pod, namespace and pod should have values");
  });
});

test.for(["conf", "json"])(
  "a single plugin in a .%s file: 2 allocations survive a restart",
  async (extension, context) => {
    const single = {
      cniVersion: "1.0.0",
      name: "single",
      type: "bridge-wrapper",
      bridge: "single0",
      isGateway: true,
      ipam: hostLocal("172.30.0.0/24"),
    };
    const file = `/opt/cni/config/10-single.${extension}`;
    await using nomad = await NomadLab.start({
      networks: [],
      prepare: (lab) => lab.writeFile(file, JSON.stringify(single)),
    });
    const before = await soundRun(nomad, jobOf({ network: "cni/single", count: 2 }), 2);
    await expectUntouched(nomad, context, before);
  },
);

/** The examples' uplink, the host's addresses beyond it, and the proxy's plugin. */
async function prepare(lab: Lab): Promise<void> {
  await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
  await lab.ip(undefined, "address", "add", "fd00:5::1/64", "dev", "uplink1", "nodad");
  await lab.ip(undefined, "address", "add", "10.99.0.1/32", "dev", "lo");
  await lab.run("ln", ["-s", "/run/lab/drivers/consul-cni", "/opt/cni/bin/consul-cni"]);
}
