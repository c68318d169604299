import { describe, expect, test } from "vitest";
import { bridge, hostLocal, macvlan, wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { jobOf } from "./jobs.ts";
import { isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";

const ptp = { type: "ptp", ipam: hostLocal("10.50.0.0/24") };

/** A card of the host and its network, in which the host has the first address. */
function card(number: number): Record<string, unknown> {
  return { type: "host-device", device: `card${number}`, ipam: hostLocal(`10.6${number}.0.0/24`) };
}

async function addCards(lab: Lab): Promise<void> {
  for (const number of [0, 1]) {
    await lab.ip(undefined, "link", "add", `card${number}`, "type", "veth", "peer", "name", `far${number}`);
    await lab.ip(undefined, "address", "add", `10.6${number}.0.1/24`, "dev", `far${number}`);
    await lab.ip(undefined, "link", "set", `far${number}`, "up");
  }
}

describe("a client is restarted, and allocations with other plugins do not notice", () => {
  test.for([
    {
      title: "two host-device (nomad#13520)",
      list: zone(wrapped(card(0)), wrapped(card(1), "eth1")),
      links: "eth0,eth1",
      // Each takes one of the host's two devices.
      count: 1,
    },
    {
      title: "bridge, macvlan, ptp and tap",
      list: zone(
        wrapped(bridge),
        wrapped(macvlan, "eth1"),
        wrapped(ptp, "eth2"),
        wrapped({ type: "tap", ipam: hostLocal("10.70.0.0/24") }, "tap0"),
      ),
      links: "eth0,eth1,eth2,tap0",
      count: 3,
    },
  ])("$title, wrapped: $count allocations", async ({ list, links, count }) => {
    await using nomad = await NomadLab.start({ networks: [list], prepare: addCards });
    await nomad.run(jobOf({ network: "cni/zone", count }));
    const before = await nomad.survey("job");
    expect(before.map(({ addresses }) => Object.keys(addresses).sort().join())).toEqual(Array(count).fill(links));
    for (const { namespace, answers } of before) {
      // A tap device leads to the process that opens it, not to the host.
      const reached = Object.entries(answers).filter(([address]) => !address.startsWith("10.70."));
      expect(reached.map(([, answer]) => answer)).toEqual(reached.map(() => namespace));
    }
    await nomad.restartClient();
    await nomad.untilLogged(count, isPassedCheck);
    expect(await nomad.survey("job")).toEqual(before);
    await nomad.stop("job");
    expect(await nomad.lab.kernel.leases()).toEqual([]);
    expect(await nomad.lab.kernel.journals()).toEqual([]);
    await expect.poll(() => nomad.lab.kernel.linkNames()).toEqual(expect.arrayContaining(["card0", "card1"]));
  });
});
