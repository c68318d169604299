import { describe, expect, test } from "vitest";
import { attached, expectFailure, expectNothingLeft, expectSound, expectSuccess, expectUndone } from "../e2e/calls.ts";
import { hostLocal, wrapped, zone } from "../e2e/support.ts";
import type { Container, Lab } from "../support/lab.ts";
import { hostHas } from "../support/needs.ts";
import { expectExit0, front, isGiven, lan, withPlugin } from "./other-plugin.ts";

const defaultRoute = "default via 172.30.0.1 dev eth0";
const creators = [wrapped(front), wrapped(lan, "eth1")];

describe.skipIf(!isGiven("tc-redirect-tap"))("tc-redirect-tap after two wrapped interface plugins", () => {
  const list = zone(...creators, { type: "tc-redirect-tap" });

  test("gives the traffic of eth0 to a tap, passes CHECK, and leaves nothing after DEL", async () => {
    await using lab = await withPlugin("tc-redirect-tap");
    const container = await attached(lab, lab.goCni, list);
    expect(await redirections(lab, container)).toEqual({ eth0: ["tap0"], eth1: [], tap0: ["eth0"] });
    const { interfaces, ips } = await lab.kernel.cachedResult("zone", "c1");
    expect(interfaces?.map(({ name, sandbox }) => [name, sandbox])).toEqual([
      ["front0", undefined],
      [expect.stringMatching(/^veth/), undefined],
      ["eth0", container.netns],
      ["eth1", container.netns],
      ["tap0", container.netns],
      ["tap0", "c1"],
    ]);
    // The virtual machine gets the MAC and the address of eth0.
    expect(interfaces?.at(-1)?.mac).toBe((await lab.kernel.link(container, "eth0")).address);
    expect(ips?.map((ip) => [ip.address, ip.interface])).toEqual([
      ["172.30.0.2/20", 2],
      ["172.16.5.2/24", 3],
      ["172.30.0.2/20", 5],
    ]);
    await expectSound(lab, list, container, ["front0"]);
  });

  test.each([
    ["the redirection of eth0 is gone", ["tc", "qdisc", "del", "dev", "eth0", "ingress"], /Qdisc on device "eth0"/],
    ["the tap is gone", ["ip", "link", "delete", "tap0"], /tap0/],
  ])("fails CHECK when %s", async (_, command, message) => {
    await using lab = await withPlugin("tc-redirect-tap");
    const container = await attached(lab, lab.goCni, list);
    await lab.run("ip", ["netns", "exec", container.name, ...command]);
    expectFailure(await lab.goCni.check(list, container), message);
  });

  test("wrapped, gives the traffic of eth1 to a tap, CHECK sees a lost tap, and DEL leaves nothing", async () => {
    await using lab = await withPlugin("tc-redirect-tap");
    const ofSecond = zone(...creators, wrapped({ type: "tc-redirect-tap" }, "eth1"));
    const container = await attached(lab, lab.goCni, ofSecond);
    expect(await redirections(lab, container)).toEqual({ eth0: [], eth1: ["tap0"], tap0: ["eth1"] });
    expectSuccess(await lab.goCni.check(ofSecond, container));
    const other = await attached(lab, lab.goCni, ofSecond, "c2");
    await lab.ip(other, "link", "delete", "tap0");
    expectFailure(await lab.goCni.check(ofSecond, other), /tap0/);
    for (const each of [container, other]) {
      expectSuccess(await lab.goCni.del(ofSecond, each));
      expect(await lab.kernel.linkNames(each)).toEqual(["lo"]);
    }
    await expectNothingLeft(lab, ["front0"]);
  });

  test("wrapped for each of two interfaces, each has its own tap, CHECK passes, and DEL leaves nothing", async () => {
    await using lab = await withPlugin("tc-redirect-tap");
    const redirect = { type: "tc-redirect-tap" };
    const ofBoth = zone(...creators, wrapped(redirect), wrapped(redirect, "eth1"));
    const container = await attached(lab, lab.goCni, ofBoth);
    expect(await redirections(lab, container)).toEqual({
      ...{ eth0: ["tap0"], tap0: ["eth0"] },
      ...{ eth1: ["tap1"], tap1: ["eth1"] },
    });
    await expectSound(lab, ofBoth, container, ["front0"]);
  });
});

describe.skipIf(!isGiven("route-override"))("route-override-wrapper of eth1", () => {
  const route = { dst: "10.88.0.0/16", gw: "172.16.5.1" };
  const added = `${route.dst} via ${route.gw} dev eth1`;
  const lanWithRoute = { ...lan, ipam: hostLocal("172.16.5.0/24", route) };

  test("adds its route to eth1, passes CHECK, and leaves nothing after DEL", async () => {
    await using lab = await withPlugin("route-override");
    const list = zone(...creators, wrapped({ type: "route-override", addroutes: [route] }, "eth1"));
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.routes(container)).toEqual([defaultRoute, added]);
    await expectSound(lab, list, container, ["front0"]);
  });

  test("deletes a route, and fails CHECK when the route is back", async () => {
    await using lab = await withPlugin("route-override");
    const remover = { type: "route-override", delroutes: [{ dst: route.dst }] };
    // Without a default route: for this plugin's CHECK, any route to the address is the deleted one.
    const isolated = wrapped({ ...front, ipam: hostLocal("172.30.0.0/20") });
    const list = zone(isolated, wrapped(lanWithRoute, "eth1"), wrapped(remover, "eth1"));
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.routes(container)).toEqual([]);
    expectSuccess(await lab.goCni.check(list, container));
    await lab.ip(container, "route", "add", route.dst, "via", route.gw);
    expectFailure(await lab.goCni.check(list, container), /^route-override: route is not removed/);
  });

  test("flushes the routes of eth1 alone; unwrapped it flushes those of eth0 too", async () => {
    await using lab = await withPlugin("route-override");
    const both = [wrapped(front), wrapped(lanWithRoute, "eth1")];
    const flush = { type: "route-override", flushroutes: true };
    const kept = await attached(lab, lab.goCni, zone(...both, wrapped(flush, "eth1")));
    expect(await lab.kernel.routes(kept)).toEqual([defaultRoute]);
    const lost = await attached(lab, lab.goCni, zone(...both, flush), "c2");
    expect(await lab.kernel.routes(lost)).toEqual([]);
  });
});

describe.skipIf(!isGiven("flannel"))("flannel", () => {
  const flannel = (number: number, wrapper?: object) => ({
    ...{ type: wrapper ? "flannel-wrapper" : "flannel", ...(wrapper && { wrapper }) },
    subnetFile: `/run/lab/subnet${number}.env`,
    delegate: { bridge: `flannel${number}` },
  });

  async function withFlannel(): Promise<Lab> {
    const lab = await withPlugin("flannel");
    for (const number of [7, 8]) {
      const lines = [`NETWORK=10.24${number}.0.0/16`, `SUBNET=10.24${number}.1.1/24`, "MTU=1450", "IPMASQ=true"];
      const text = lines.map((line) => `FLANNEL_${line}\n`).join("");
      await lab.writeFile(`/run/lab/subnet${number}.env`, text);
    }
    return lab;
  }

  test("two wrapped in one list, without a dataDir: both interfaces, and nothing is left after DEL", async () => {
    await using lab = await withFlannel();
    const list = zone(flannel(7, { role: "creator" }), flannel(8, { role: "creator", ifName: "eth1" }));
    const container = await lab.addContainer("c1");
    // flannel writes its configuration to stderr.
    expectExit0(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["10.247.1.2/24"], eth1: ["10.248.1.2/24"] });
    expectSuccess(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    const directories = ["/var/lib/cni/flannel", "/var/lib/cni/flannel-zone-eth1"];
    expect(await Promise.all(directories.map((directory) => lab.readdir(directory)))).toEqual([[], []]);
    await expectNothingLeft(lab, ["flannel7", "flannel8"]);
  });

  test("two plain in one list: no ADD passes", async () => {
    await using lab = await withFlannel();
    const container = await lab.addContainer("c1");
    const outcome = await lab.goCni.add(zone(flannel(7), flannel(8)), container);
    expectFailure(outcome, /container veth name \("eth0"\) .*already exists/);
  });
});

describe.skipIf(!isGiven("consul-cni"))("consul-cni after two wrapped interface plugins, as in a Nomad list", () => {
  const proxy = { ProxyUserID: "101", ProxyInboundPort: 20000, ProxyOutboundPort: 15001 };
  const labels = { CONSUL_IPTABLES_CONFIG: JSON.stringify(proxy), IgnoreUnknown: "true" };
  const list = zone(...creators, { type: "consul-cni", log_level: "error" });

  test("redirects the container's traffic to the proxy, CHECK passes and sees a lost address, and DEL leaves nothing", async () => {
    await using lab = await withPlugin("consul-cni");
    const container = await attached(lab, lab.goCni, list, "c1", { labels });
    expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["172.30.0.2/20"], eth1: ["172.16.5.2/24"] });
    const rules = await lab.run("ip", ["netns", "exec", container.name, "iptables-save", "-t", "nat"]);
    expect(rules).toMatch(/-A CONSUL_PROXY_REDIRECT -p tcp -j REDIRECT --to-ports 15001/);
    expectSuccess(await lab.goCni.check(list, container, { labels }));
    await lab.ip(container, "address", "delete", "172.16.5.2/24", "dev", "eth1");
    expectFailure(
      await lab.goCni.check(list, container, { labels }),
      /Failed to match addr 172\.16\.5\.2\/24 on interface eth1/,
    );
    await expectUndone(lab, list, container, ["front0"]);
  });

  test("the same list with plain interface plugins: no ADD passes", async () => {
    await using lab = await withPlugin("consul-cni");
    const plain = zone(front, lan, { type: "consul-cni", log_level: "error" });
    const outcome = await lab.goCni.add(plain, await lab.addContainer("c1"), { labels });
    expectFailure(outcome, /failed to rename macvlan to "eth0": file exists/);
  });
});

// Few test hosts have bonding in their kernel. The second kernel has it: `npm run test:kernel -- --all` runs these too.
describe.skipIf(!isGiven("bond") || !hostHas.bonding)("bond", () => {
  const settings = { mode: "active-backup", miimon: "100", failOverMac: 1, ipam: hostLocal("172.16.5.0/24") };
  const bond = { type: "bond", ...settings };
  const ofHost = { links: [{ name: "port0" }, { name: "port1" }] };
  const makePort = (ifName: string) => {
    const { ipam: _, ...port } = lan;
    return wrapped(port, ifName);
  };

  test("wrapped for eth1, bonds the interfaces of two wrapped macvlan, passes CHECK, and leaves nothing after DEL", async () => {
    await using lab = await withPlugin("bond");
    const inside = { linksInContainer: true, links: [{ name: "lan0" }, { name: "lan1" }] };
    const list = zone(wrapped(front), makePort("lan0"), makePort("lan1"), {
      ...bond,
      ...inside,
      type: "bond-wrapper",
      wrapper: { role: "creator", ifName: "eth1" },
    });
    const container = await attached(lab, lab.goCni, list);
    const addresses = { eth0: ["172.30.0.2/20"], eth1: ["172.16.5.2/24"], lan0: [], lan1: [] };
    expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
    expect(await portsOf(lab, container, "eth1")).toEqual(["lan0", "lan1"]);
    expectSuccess(await lab.goCni.check(list, container));
    // bond's own CHECK looks at nothing.
    await lab.ip(container, "link", "set", "lan0", "nomaster");
    await expectSound(lab, list, container, ["front0"]);
  });

  test("wrapped for eth1, takes two interfaces of the host, and DEL gives them back", async () => {
    await using lab = await withPlugin("bond");
    await addPorts(lab);
    const wrapper = { role: "creator", ifName: "eth1" };
    const list = zone(wrapped(front), { ...bond, ...ofHost, type: "bond-wrapper", wrapper });
    const container = await attached(lab, lab.goCni, list);
    expect(await portsOf(lab, container, "eth1")).toEqual(["port0", "port1"]);
    expectSuccess(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    // This fails if the host has not got them back.
    for (const port of ["port0", "port1"]) await lab.ip(undefined, "link", "delete", port);
    await expectNothingLeft(lab, ["front0"]);
  });

  test("plain after a plain bridge: no ADD passes", async () => {
    await using lab = await withPlugin("bond");
    await addPorts(lab);
    const container = await lab.addContainer("c1");
    const outcome = await lab.goCni.add(zone(front, { ...bond, ...ofHost }), container);
    expectFailure(outcome, /failed to add link \(eth0\) .*file exists/);
  });

  async function addPorts(lab: Lab): Promise<void> {
    for (const number of [0, 1]) {
      await lab.ip(undefined, "link", "add", `port${number}`, "type", "veth", "peer", "name", `other${number}`);
    }
  }
});

/** The links to which tc(8) redirects what each link receives. */
async function redirections(lab: Lab, container: Container): Promise<Record<string, string[]>> {
  const names = (await lab.kernel.linkNames(container)).filter((name) => name !== "lo");
  const found = names.map(async (name) => {
    const text = await lab.run("tc", ["-n", container.name, "filter", "show", "dev", name, "parent", "ffff:"]);
    return [name, [...text.matchAll(/Redirect to device (\S+?)\)/g)].map(([, to = ""]) => to)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** The interfaces in the container that this one has as its ports. */
async function portsOf(lab: Lab, container: Container, name: string): Promise<string[]> {
  const ports = JSON.parse(await lab.run("ip", ["-n", container.name, "-json", "link", "show", "master", name]));
  return ports.map(({ ifname }: { ifname: string }) => ifname);
}
