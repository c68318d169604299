import { describe, expect, test } from "vitest";
import { wrapped, zone } from "../e2e/support.ts";
import { Lab } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import { Containerd } from "./containerd.ts";
import {
  addressesIn,
  bridge,
  expectNoTraceOfContainers,
  failureOf,
  hostLinks,
  macvlan,
  nameTaken,
  portmap,
} from "./support.ts";

// ctr passes no port mappings, so portmap has nothing to do here. It must not fail.
const list = zone(wrapped(bridge), wrapped(macvlan, "lan0"), portmap);
const plainList = zone(bridge, macvlan, portmap);
const masquerading = { ...bridge, ipMasq: true };

const killed = { exitCode: 137 };

describe("containerd", () => {
  test("starts containers with both interfaces, and leaves nothing when they are stopped or end", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    await using containerd = await Containerd.start(lab, list);
    const first = await containerd.run("c1");
    const second = await containerd.run("c2");
    expect(await containerd.addressesInside("c1")).toEqual({ eth0: ["172.26.64.2/20"], lan0: ["172.16.5.2/24"] });
    expect(await containerd.addressesInside("c2")).toEqual({ eth0: ["172.26.64.3/20"], lan0: ["172.16.5.3/24"] });
    expect(await lab.kernel.cachedResults()).toEqual(["zone-default-c1-eth0", "zone-default-c2-eth0"]);
    expect(await lab.kernel.journals()).toHaveLength(2);

    expect(await containerd.stop("c1", first)).toMatchObject(killed);
    expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.3", "zone-lan0/172.16.5.3"]);
    expect(await containerd.addressesInside("c2")).toEqual({ eth0: ["172.26.64.3/20"], lan0: ["172.16.5.3/24"] });
    expect(await containerd.stop("c2", second)).toMatchObject(killed);
    await expectNoTraceOfContainers(lab, hostLinks);
    expect(await containerd.containerNames()).toEqual([]);

    const { stdout, exitCode } = await containerd.runOnce("c3", "/bin/ip", "-4", "-o", "address");
    expect(exitCode).toBe(0);
    expect(addressesIn(stdout)).toEqual({ eth0: ["172.26.64.4/20"], lan0: ["172.16.5.4/24"] });
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("fails to start a container with the same two creators unwrapped", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    await using containerd = await Containerd.start(lab, plainList);
    expect(failureOf(await containerd.runOnce("c1", "/bin/ip", "-4", "-o", "address"))).toMatch(nameTaken);
  });

  // ctr runs DEL without the namespace. The reference bridge needs it to find the addresses of its ipMasq rules.
  test.each([
    {
      title: "one plain bridge leaves its rules behind",
      masqueraded: zone(masquerading),
      left: [expect.stringContaining(`-A POSTROUTING -s 172.26.64.2/32 -m comment --comment "name: \\"zone\\"`)],
    },
    {
      title: "the wrapped chain leaves none",
      masqueraded: zone(wrapped(masquerading), wrapped(macvlan, "lan0")),
      left: [],
    },
  ])("masquerading: $title", async ({ masqueraded, left }) => {
    await using lab = await Lab.start({ forRuntimes: true });
    await using containerd = await Containerd.start(lab, masqueraded);
    expect(await containerd.runOnce("c1", "/bin/ip", "-4", "-o", "address")).toMatchObject({ exitCode: 0 });
    expect((await rulesOfContainers(lab)).filter((rule) => rule.includes("-A POSTROUTING"))).toEqual(left);
    expect(await lab.kernel.leases()).toEqual([]);
  });
});
