import { test } from "vitest";
import { type Container, Lab } from "../support/lab.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { bridge, hostLocal, inTurn, macvlan, twoInterfaces, wrapped, zone } from "./support.ts";

// A passing CHECK proves something only if CHECK fails when something is missing. Each twin removes one thing.

interface Twin {
  readonly loses: string;
  readonly before?: (lab: Lab) => Promise<unknown>;
  readonly takeAway: (lab: Lab, container: Container) => Promise<unknown>;
  /** The message of the reference plugin. */
  readonly message: string | RegExp;
}

const macvlanTwins: readonly Twin[] = [
  {
    loses: "eth0's address",
    takeAway: (lab, container) => lab.ip(container, "address", "del", "172.16.5.2/24", "dev", "eth0"),
    message: "Failed to match addr 172.16.5.2/24 on interface eth0",
  },
  {
    loses: "eth0's default route",
    takeAway: (lab, container) => lab.ip(container, "route", "del", "default"),
    message: /^Expected Route .*0\.0\.0\.0.* not found in routing table$/,
  },
  {
    loses: "eth0",
    takeAway: (lab, container) => lab.ip(container, "link", "del", "eth0"),
    message: "container Interface name in prevResult: eth0 not found",
  },
  {
    loses: "eth0's MAC",
    takeAway: (lab, container) => lab.ip(container, "link", "set", "eth0", "address", "02:00:00:00:00:99"),
    message: /^interface eth0 Mac \S+ doesn't match container Mac: 02:00:00:00:00:99$/,
  },
  {
    loses: "eth0's lease",
    takeAway: (lab) => lab.run("rm", ["/var/lib/cni/networks/zone/172.16.5.2"]),
    message: /^host-local: Failed to find address added by container \S+$/,
  },
];

const bridgeTwins: readonly Twin[] = [
  {
    loses: "eth1's address",
    takeAway: (lab, container) => lab.ip(container, "address", "del", "172.26.64.2/20", "dev", "eth1"),
    message: "Failed to match addr 172.26.64.2/20 on interface eth1",
  },
  {
    loses: "eth1's route",
    takeAway: (lab, container) => lab.ip(container, "route", "del", "10.99.0.0/16"),
    message: /^Expected Route .*10\.99\.0\.0.* not found in routing table$/,
  },
  {
    loses: "eth1",
    takeAway: (lab, container) => lab.ip(container, "link", "del", "eth1"),
    message: "Interface name eth1 not found",
  },
  {
    loses: "eth1's MAC",
    takeAway: (lab, container) => lab.ip(container, "link", "set", "eth1", "address", "02:00:00:00:00:99"),
    message: /^Interface eth1 Mac \S+ doesn't match container Mac: 02:00:00:00:00:99$/,
  },
  {
    loses: "eth1's host-side veth",
    takeAway: async (lab, container) => lab.ip(undefined, "link", "del", await lab.kernel.hostVeth(container, "eth1")),
    message: "Interface name eth1 not found",
  },
  {
    loses: "the host-side veth's place in the bridge",
    takeAway: async (lab, container) =>
      lab.ip(undefined, "link", "set", await lab.kernel.hostVeth(container, "eth1"), "nomaster"),
    message: "CNI veth created for bridge disc0 was not found",
  },
  {
    loses: "the bridge",
    takeAway: (lab) => lab.ip(undefined, "link", "del", "disc0"),
    message: "Interface name disc0 not found",
  },
  {
    loses: "the MAC of a bridge that is a gateway",
    // Only a MAC that was set before ADD is compared.
    before: (lab) => lab.ip(undefined, "link", "add", "disc0", "address", "02:00:00:00:00:01", "type", "bridge"),
    takeAway: (lab) => lab.ip(undefined, "link", "set", "disc0", "address", "02:00:00:00:00:99"),
    message: /^Bridge interface disc0 Mac doesn't match: \S+$/,
  },
  {
    loses: "eth1's lease",
    takeAway: (lab) => lab.run("rm", ["/var/lib/cni/networks/zone-eth1/172.26.64.2"]),
    message: /^host-local: Failed to find address added by container \S+$/,
  },
];

const versions = { goCni: "1.1.0", cnitool: "0.4.0" } as const;

const twins = [...inTurn(macvlanTwins), ...inTurn(bridgeTwins)];

test.each(twins)("CHECK passes, and fails when a container loses $loses ($plugins, $runtime)", async (twin) => {
  const { plugins, runtime, before, takeAway, message } = twin;
  await using lab = await Lab.start({ plugins });
  await before?.(lab);
  const list = twoInterfaces(versions[runtime]);
  const container = await attached(lab, lab[runtime], list);
  expectSuccess(await lab[runtime].check(list, container));
  await takeAway(lab, container);
  expectFailure(await lab[runtime].check(list, container), message);
});

test("a route in another table: the plain plugin's CHECK fails, the wrapped one's passes, and sees its loss", async () => {
  await using lab = await Lab.start();
  const second = { ...bridge, ipam: hostLocal("172.26.64.0/20", { dst: "10.99.0.0/16", table: 200 }) };
  const plain = zone("1.1.0", second);
  const notFound = /^Expected Route .*Table:200.* not found in routing table$/;
  expectFailure(await lab.runtime.check(plain, await attached(lab, lab.runtime, plain, "c1")), notFound);
  const list = zone("1.1.0", wrapped(macvlan), wrapped(second, "eth1"));
  const container = await attached(lab, lab.runtime, list, "c2");
  expectSuccess(await lab.runtime.check(list, container));
  await lab.ip(container, "route", "del", "10.99.0.0/16", "table", "200");
  expectFailure(await lab.runtime.check(list, container), /missing: route 10\.99\.0\.0\/16 table 200\./);
});
