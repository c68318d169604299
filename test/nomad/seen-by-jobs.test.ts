import { describe, expect, test } from "vitest";
import { bridge, macvlan, wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { Router } from "../support/router.ts";
import type { NetworkList } from "../support/runtime.ts";
import type { Allocation } from "./api.ts";
import { jobOf } from "./jobs.ts";
import { isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { type AllocationState, ask } from "./survey.ts";

const portmap = { type: "portmap", capabilities: { portMappings: true }, snat: true };
const list = zone(wrapped(bridge), wrapped(macvlan, "eth1"), portmap);

const host = "10.99.0.1";

describe("what a job sees of its network", () => {
  test("its address is the runtime interface's, its nameservers are its DNS block's", async () => {
    await using nomad = await NomadLab.start({ networks: [list] });
    await nomad.run(jobOf({ network: "cni/zone", dns: { Servers: ["10.9.9.9"], Searches: ["example.org"] } }));
    const { allocation } = await only(nomad);
    expect(allocation.NetworkStatus).toMatchObject({
      InterfaceName: "eth0",
      Address: "172.26.64.2",
      DNS: { Servers: ["10.9.9.9"], Searches: ["example.org"] },
    });
  });

  test("nameservers of any plugin of the chain come before the job's", async () => {
    const second = { ...wrapped(macvlan, "eth1"), dns: { nameservers: ["10.8.8.8"], search: ["example.net"] } };
    await using nomad = await NomadLab.start({ networks: [zone(wrapped(bridge), second)] });
    await nomad.run(jobOf({ network: "cni/zone", dns: { Servers: ["10.9.9.9"] } }));
    const { allocation } = await only(nomad);
    expect(allocation.NetworkStatus?.DNS).toMatchObject({ Servers: ["10.8.8.8"], Searches: ["example.net"] });
  });

  test("its IPv6 address is the one from a router, which only slaac reports", async () => {
    const ipv6Of = async (wrapper: object) => {
      await using nomad = await NomadLab.start({ networks: [listWith(wrapper)], prepare: advertise });
      await nomad.run(jobOf({ network: "cni/zone" }));
      const { allocation, state } = await only(nomad);
      const kernels = state.addresses.eth0?.filter((address) => address.startsWith("2001:db8:1:")) ?? [];
      await nomad.restartClient();
      await nomad.untilLogged(1, isPassedCheck);
      return { reported: allocation.NetworkStatus?.AddressIPv6 ?? "", kernels };
    };
    const { reported, kernels } = await ipv6Of({ slaac: { wait: "30s", required: true } });
    expect(kernels).toEqual([`${reported}/64`]);
    expect((await ipv6Of({})).reported).toBe("");
  });

  test("static and dynamic ports answer on the host by tcp and udp, before and after a restart, and not after a stop", async () => {
    await using nomad = await NomadLab.start({ networks: [list] });
    // An address of the host to which the container's route leads through the bridge: udp answers come from where the route leads.
    await nomad.lab.ip(undefined, "address", "add", `${host}/32`, "dev", "lo");
    await nomad.run(jobOf({ network: "cni/zone", ports: { web: 8080, other: 0 } }));
    const { allocation, state } = await only(nomad);
    const ports = allocation.AllocatedResources?.Shared.Ports ?? [];
    expect(Object.fromEntries(ports.map(({ Label, To }) => [Label, To]))).toEqual({ web: 7777, other: 7777 });
    const values = ports.map(({ Value }) => Value);
    expect(values).toContain(8080);
    expect(await answers(nomad, values)).toEqual(Array(4).fill(state.namespace));
    await nomad.restartClient();
    await nomad.untilLogged(1, isPassedCheck);
    expect(await answers(nomad, values)).toEqual(Array(4).fill(state.namespace));
    await nomad.stop("job");
    expect(await answers(nomad, values)).toEqual(Array(4).fill(""));
  });
});

/** macvlan makes eth0 in a network with a router. */
function listWith(wrapper: object): NetworkList {
  const lan = { ...macvlan, type: "macvlan-wrapper", master: "lan0", wrapper };
  return zone(lan, wrapped(bridge, "eth1"));
}

async function advertise(lab: Lab): Promise<void> {
  await lab.run("sh", ["-ec", "ip link add lan0 type veth peer name lan1; ip link set lan0 up"]);
  const router = await Router.make(lab, "lan1");
  await router.advertise({ prefix: "2001:db8:1::/64" });
}

async function only(nomad: NomadLab): Promise<{ allocation: Allocation; state: AllocationState }> {
  const [state] = await nomad.survey("job");
  if (!state) throw new Error("no allocation");
  return { allocation: await nomad.allocation(state.id), state };
}

/** Who answers on the host's address at each port, by tcp and by udp. */
async function answers({ lab }: NomadLab, ports: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const port of ports) {
    for (const protocol of ["tcp", "udp"] as const) found.push(await ask(lab, protocol, `${host}:${port}`));
  }
  return found;
}
