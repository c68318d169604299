import { test } from "vitest";
import { Lab } from "../support/lab.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { type Losses, rowsOf, take } from "./losses.ts";
import { bridge, hostLocal, inTurn, macvlan, twoInterfaces, wrapped, zone } from "./support.ts";

// A passing CHECK proves something only if CHECK fails when something is missing. Each twin removes one thing.

const macvlanTwins: Losses = {
  "eth0's address": [
    "ip -n c1 address del 172.16.5.2/24 dev eth0",
    "Failed to match addr 172.16.5.2/24 on interface eth0",
  ],
  "eth0's default route": ["ip -n c1 route del default", /^Expected Route .*0\.0\.0\.0.* not found in routing table$/],
  eth0: ["ip -n c1 link del eth0", "container Interface name in prevResult: eth0 not found"],
  "eth0's MAC": [
    "ip -n c1 link set eth0 address 02:00:00:00:00:99",
    /^interface eth0 Mac \S+ doesn't match container Mac: 02:00:00:00:00:99$/,
  ],
  "eth0's lease": [
    "rm /var/lib/cni/networks/zone/172.16.5.2",
    /^host-local: Failed to find address added by container \S+$/,
  ],
};

const bridgeTwins: Losses = {
  "eth1's address": [
    "ip -n c1 address del 172.26.64.2/20 dev eth1",
    "Failed to match addr 172.26.64.2/20 on interface eth1",
  ],
  "eth1's route": ["ip -n c1 route del 10.99.0.0/16", /^Expected Route .*10\.99\.0\.0.* not found in routing table$/],
  eth1: ["ip -n c1 link del eth1", "Interface name eth1 not found"],
  "eth1's MAC": [
    "ip -n c1 link set eth1 address 02:00:00:00:00:99",
    /^Interface eth1 Mac \S+ doesn't match container Mac: 02:00:00:00:00:99$/,
  ],
  "eth1's host-side veth": ["ip link del VETH", "Interface name eth1 not found"],
  "the host-side veth's place in the bridge": [
    "ip link set VETH nomaster",
    "CNI veth created for bridge disc0 was not found",
  ],
  "the bridge": ["ip link del disc0", "Interface name disc0 not found"],
  // Only a MAC that was set before ADD is compared.
  "the MAC of a bridge that is a gateway": [
    "ip link set disc0 address 02:00:00:00:00:99",
    /^Bridge interface disc0 Mac doesn't match: \S+$/,
    "ip link add disc0 address 02:00:00:00:00:01 type bridge",
  ],
  "eth1's lease": [
    "rm /var/lib/cni/networks/zone-eth1/172.26.64.2",
    /^host-local: Failed to find address added by container \S+$/,
  ],
};

const versions = { goCni: "1.1.0", cnitool: "0.4.0" } as const;

const twins = [...inTurn(rowsOf(macvlanTwins)), ...inTurn(rowsOf(bridgeTwins))];

test.each(twins)("CHECK passes, and fails when a container loses $loses ($plugins, $runtime)", async (twin) => {
  const { plugins, runtime, before, takeAway, message } = twin;
  await using lab = await Lab.start({ plugins });
  await lab.run("sh", ["-c", before]);
  const list = twoInterfaces(versions[runtime]);
  const container = await attached(lab, lab[runtime], list);
  expectSuccess(await lab[runtime].check(list, container));
  await take(lab, takeAway);
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
