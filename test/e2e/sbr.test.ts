import { newestPlugins } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectNothingLeft, expectPassed } from "./calls.ts";
import { type Losses, rowsOf, take } from "./losses.ts";
import { bridge, hostLocal, macvlan, wrapped, zone } from "./support.ts";

// sbr moves eth1's routes into a separate table. The creators' CHECK looks only in the main table, and sbr's CHECK nowhere.

const sbr = { type: "sbr" };
const second = {
  ...bridge,
  ipam: hostLocal("172.26.64.0/20", { dst: "10.99.0.0/16", gw: "172.26.64.1" }, { dst: "10.98.0.0/16" }),
};
const list = zone(wrapped(macvlan), wrapped(second, "eth1"), wrapped(sbr, "eth1"));
const journal = "/var/lib/cni/wrappers/c1/zone:eth0";

test("the plain chain fails CHECK: the creator does not find the routes that sbr moved", async ({ lab }) => {
  const plain = zone(bridge, sbr);
  const container = await attached(lab, lab.goCni, plain);
  expectFailure(await lab.goCni.check(plain, container), "Failed to find Gateway 172.26.64.1 for interface eth0");
});

describe.each([newestPlugins, "1.6.2"] as const)("plugins %s: a wrapped chain with sbr", (plugins) => {
  test("has eth1's routes in a separate table, passes CHECK, and leaves nothing on DEL", async () => {
    await using lab = await Lab.start({ plugins });
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.routes(container)).toEqual(["default via 172.16.5.1 dev eth0"]);
    const own = await lab.ip(container, "-4", "route", "show", "table", "100");
    expect(own.split("\n").map((line) => line.trim())).toEqual([
      "default via 172.26.64.1 dev eth1",
      "10.98.0.0/16 via 172.26.64.1 dev eth1",
      "10.99.0.0/16 via 172.26.64.1 dev eth1",
      "172.26.64.0/20 dev eth1 proto kernel scope link src 172.26.64.2",
    ]);
    expectPassed(await lab.goCni.check(list, container));
    expectPassed(await lab.goCni.del(list, container));
    expect(await lab.ip(container, "-4", "rule")).not.toContain("lookup 100");
    await expectNothingLeft(lab, ["disc0"]);
  });
});

test("CHECK passes although the host gives the table a name after ADD, or takes it away", async ({ lab }) => {
  const [before, after] = [await attached(lab, lab.goCni, list), await lab.addContainer("c2")];
  const rules = () => lab.ip(before, "-4", "rule");
  const directory = (await lab.run("sh", ["-c", "ls -d /etc/iproute2 /usr/share/iproute2 | head -1"])).trim();
  const giveName =
    'cp -r "$0" /run/lab/tables; echo "100 uplink" >>/run/lab/tables/rt_tables; mount --bind /run/lab/tables "$0"';
  await lab.run("sh", ["-ec", giveName, directory]);
  expect(await rules()).toContain("lookup uplink");
  expectPassed(await lab.goCni.check(list, before));
  expectPassed(await lab.goCni.add(list, after));
  await lab.run("umount", [directory]);
  expect(await rules()).toContain("lookup 100");
  for (const container of [before, after]) {
    expectPassed(await lab.goCni.check(list, container));
    expectPassed(await lab.goCni.del(list, container));
  }
});

const twins: Losses = {
  "the default route in sbr's table": [
    "ip -n c1 route del default table 100",
    /^routing of interface eth1 has changed.*missing: route 0\.0\.0\.0\/0 via 172\.26\.64\.1 table 100\./,
  ],
  "a route of eth1 in sbr's table": [
    "ip -n c1 route del 10.99.0.0/16 table 100",
    /^routing of interface eth1 has changed.*missing: route 10\.99\.0\.0\/16 via 172\.26\.64\.1 table 100\./,
  ],
  "the route to eth1's subnet in sbr's table": [
    "ip -n c1 route del 172.26.64.0/20 table 100",
    /^routing of interface eth1 has changed.*missing: route 172\.26\.64\.0\/20 table 100\./,
  ],
  "sbr's rule": [
    "ip -n c1 rule del from 172.26.64.2 lookup 100",
    /^routing of interface eth1 has changed.*missing: rule from 172\.26\.64\.2 lookup 100\./,
  ],
  "eth1's address": [
    "ip -n c1 address del 172.26.64.2/20 dev eth1",
    /^routing of interface eth1 has changed.*missing: address 172\.26\.64\.2\/20/,
  ],
  eth1: ["ip -n c1 link del eth1", /^Interface name eth1 not found$/],
  "eth1's lease": [
    "rm /var/lib/cni/networks/zone-eth1/172.26.64.2",
    /^host-local: Failed to find address added by container/,
  ],
  "ip(8)": ["mount --bind /dev/null /usr/sbin/ip", /^routing of interface eth1 cannot be read/],
};

test.for(rowsOf(twins))(
  "CHECK passes, and fails when the container loses $loses",
  async ({ takeAway, message }, { lab }) => {
    const container = await attached(lab, lab.goCni, list);
    expectPassed(await lab.goCni.check(list, container));
    await take(lab, takeAway);
    expectFailure(await lab.goCni.check(list, container), message);
  },
);

test("a default route of each interface: eth0's stays, eth1's is sbr's, and CHECK looks for both", async ({ lab }) => {
  const own = { ...bridge, ipam: hostLocal("172.26.64.0/20", { dst: "0.0.0.0/0", gw: "172.26.64.1" }) };
  const both = zone(wrapped(macvlan), wrapped(own, "eth1"), wrapped(sbr, "eth1"));
  const container = await attached(lab, lab.goCni, both);
  expectPassed(await lab.goCni.check(both, container));
  const ofSbr = ["default", "via", "172.26.64.1", "dev", "eth1", "table", "100"];
  await lab.ip(container, "route", "del", ...ofSbr);
  expectFailure(await lab.goCni.check(both, container), /missing: route 0\.0\.0\.0\/0 via 172\.26\.64\.1 table 100\./);
  await lab.ip(container, "route", "add", ...ofSbr);
  expectPassed(await lab.goCni.check(both, container));
  await lab.ip(container, "route", "del", "default");
  expectFailure(await lab.goCni.check(both, container), /^Expected Route .*0\.0\.0\.0/);
});

test("an IPv6 default route of each interface, which the kernel makes one: CHECK sees its loss", async ({ lab }) => {
  const creator = (name: string) => ({
    ...bridge,
    bridge: `${name}0`,
    ipam: hostLocal(`fd00:${name}::/64`, { dst: "::/0" }),
  });
  const both = zone(wrapped(creator("a")), wrapped(creator("b"), "eth1"), wrapped(sbr, "eth1"));
  const container = await attached(lab, lab.goCni, both);
  expect(await lab.ip(container, "-6", "route")).toContain("nexthop via fd00:a::1 dev eth0");
  expectPassed(await lab.goCni.check(both, container));
  await lab.ip(container, "-6", "route", "del", "default");
  expectFailure(await lab.goCni.check(both, container), /^Expected Route .* not found in routing table$/);
});

test("IPv6 routes are moved and checked as well", async ({ lab }) => {
  const ranges = [[{ subnet: "172.26.64.0/20" }], [{ subnet: "fd00:26::/64" }]];
  const dual = { ...bridge, ipam: { type: "host-local", ranges, routes: [{ dst: "fd00:99::/64", gw: "fd00:26::1" }] } };
  const chain = zone(wrapped(macvlan), wrapped(dual, "eth1"), wrapped(sbr, "eth1"));
  const container = await attached(lab, lab.goCni, chain);
  expectPassed(await lab.goCni.check(chain, container));
  await lab.ip(container, "-6", "route", "del", "fd00:99::/64", "table", "101");
  expectFailure(await lab.goCni.check(chain, container), /missing: route fd00:99::\/64 via fd00:26::1 table 101\./);
});

test("fixed addresses: static, which compares its own with prevResult, passes CHECK as well", async ({ lab }) => {
  const fixed = {
    ...bridge,
    ipam: { type: "static", addresses: [{ address: "172.26.64.9/20", gateway: "172.26.64.1" }] },
  };
  const chain = zone(wrapped(macvlan), wrapped(fixed, "eth1"), wrapped(sbr, "eth1"));
  const container = await attached(lab, lab.goCni, chain);
  expectPassed(await lab.goCni.check(chain, container));
  await lab.ip(container, "route", "del", "default", "table", "100");
  expectFailure(await lab.goCni.check(chain, container), /^routing of interface eth1 has changed/);
});

test("the entry of another namespace says nothing, and GC takes away what no container has", async ({ lab }) => {
  const withGc = { ...list, cniVersion: "1.1.0" };
  const container = await attached(lab, lab.goCni, withGc);
  const text = await lab.readFile(journal);
  await lab.writeFile(journal, text.replace(/"inode":\d+/g, '"inode":1'));
  expectFailure(
    await lab.goCni.check(withGc, container),
    /^Expected Route .*10\.98\.0\.0.* not found in routing table$/,
  );
  await lab.run("rm", ["/var/lib/cni/results/zone-c1-eth0"]);
  await lab.deleteNamespace(container);
  expectPassed(await lab.goCni.gc(withGc, []));
  expect(await lab.kernel.journals()).toEqual([]);
});
