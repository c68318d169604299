import { type Container, Lab } from "../support/lab.ts";
import { afterAll, beforeAll, expect, test } from "../support/lab-test.ts";
import { callPlugin } from "../support/plugin-call.ts";
import { attached, expectSuccess } from "./calls.ts";
import { bridge, firewall, published, wrapped, zone } from "./support.ts";

// These calls change nothing on a host.
let shared: Lab;
let container: Container;
beforeAll(async () => {
  shared = await Lab.start();
  container = await shared.addContainer("c1");
});
afterAll(() => shared[Symbol.asyncDispose]());

// A prevResult that the plain plugins cannot read makes their DEL fail, each time.

const link = { name: "eth0", sandbox: "/run/netns/c1", mac: "02:00:00:00:00:01" };
const interfaces = [link];
const address = { address: "172.26.64.2/20", interface: 0 };

test.for<[string, object, string?]>([
  ["an address that is none", { ips: [{ ...address, address: "localhost" }] }],
  ["an address without a prefix length", { ips: [{ ...address, address: "172.26.64.2" }] }],
  ["an address with a leading zero", { ips: [{ ...address, address: "172.26.064.2/20" }] }],
  ["a gateway that is no address", { ips: [{ ...address, gateway: "172.26.64.1/20" }] }],
  ["a route to no network", { routes: [{ dst: "default" }] }],
  ["a route whose network is null", { routes: [{ dst: null }] }],
  ["a route's gateway that is no address", { routes: [{ dst: "0.0.0.0/0", gw: "router" }] }],
  ["a MAC address that is a number", { interfaces: [{ ...link, mac: 2 }] }],
  ["an MTU that is a text", { interfaces: [{ ...link, mtu: "1500" }] }],
  ["a version that does not exist", { cniVersion: "9.9.9", ips: [address] }],
  ["an older version", { cniVersion: "0.4.0", ips: [{ version: "4", ...address }] }],
  ["a key that Go reads as another", { interfaces: [{ ...link, MAC: 2 }] }],
  ["such a key at the top", { IPs: "172.26.64.2/20" }],
  ["an older version's shape", { cniVersion: "0.2.0", interfaces: undefined, ip4: { ip: "172.26.64.2/20" } }],
  ["a version, where the list has none", { ips: [address] }, ""],
  ["an address that is none in a version without chains", { cniVersion: "0.2.0", ip4: { ip: 7 } }, "0.2.0"],
] as const)("DEL passes with %s", async ([_, part, cniVersion = "1.0.0"]) => {
  const prevResult = { cniVersion: "1.0.0", interfaces, ...part };
  const runtimeConfig = { portMappings: published(25080).ports };
  const version = cniVersion === "" ? {} : { cniVersion };
  const config = { ...version, name: "zone", ipam: bridge.ipam, runtimeConfig, prevResult };
  const failures = { plain: [] as string[], wrapped: [] as string[] };
  // These two know only versions with chains.
  const more = cniVersion === "1.0.0" ? ["bandwidth", "firewall"] : [];
  for (const type of ["bridge", "macvlan", "portmap", "ptp", "sbr", "tuning", ...more]) {
    const del = (plugin: string) => callPlugin(shared, container, { plugin, config, env: { CNI_COMMAND: "DEL" } });
    const [plain, own] = [await del(type), await del(`${type}-wrapper`)];
    if (plain.exitCode !== 0) failures.plain.push(`${type}: ${plain.stdout}`);
    if (own.exitCode !== 0) failures.wrapped.push(`${type}: ${own.stdout}`);
  }
  expect(failures.wrapped).toEqual([]);
  expect(failures.plain.join()).toMatch(/could not (parse|convert) prevResult|result type supports|invalid/);
});

test.for([
  ["an address of no interface", { cniVersion: "1.0.0", ips: [{ address: "172.26.64.2/20", interface: -1 }] }],
  ["an older version", { cniVersion: "0.4.0", ips: [{ version: "4", ...address }] }],
] as const)("DEL of firewall removes its rules with %s in prevResult", async ([_, part], { lab }) => {
  const container = await attached(lab, lab.goCni, zone(bridge, firewall));
  expect(await rulesOf(lab)).not.toEqual([]);
  const config = { cniVersion: "1.0.0", name: "zone", backend: "iptables", prevResult: { interfaces, ...part } };
  expectSuccess(await callPlugin(lab, container, { plugin: "firewall-wrapper", config, env: { CNI_COMMAND: "DEL" } }));
  expect(await rulesOf(lab)).toEqual([]);
});

test("DEL removes firewall's rules if the list's version was raised and the runtime has no result", async ({ lab }) => {
  const list = (version: string) => zone(version, wrapped(bridge), wrapped(firewall));
  const container = await attached(lab, lab.cnitool, list("0.4.0"));
  expect(await rulesOf(lab)).not.toEqual([]);
  await lab.run("rm", ["-r", "/var/lib/cni/results"]);
  expectSuccess(await lab.cnitool.del(list("1.0.0"), container));
  expect(await rulesOf(lab)).toEqual([]);
});

test("DEL without an entry removes the rules of all interfaces that a plain firewall let through", async ({
  lab,
  container,
}) => {
  const other = { address: "172.26.64.3/20", interface: 1 };
  const prevResult = { cniVersion: "1.0.0", interfaces: [link, { ...link, name: "eth1" }], ips: [address, other] };
  const config = { cniVersion: "1.0.0", name: "zone", backend: "iptables", prevResult };
  const env = { CNI_IFNAME: "eth0" };
  expectSuccess(await callPlugin(lab, container, { plugin: "firewall", config, env: { ...env, CNI_COMMAND: "ADD" } }));
  const rules = async () => (await lab.kernel.packetRules()).filter((rule) => /172\.26\.64\.[23]/.test(rule));
  expect(await rules()).toHaveLength(4);
  const wrappedCall = { plugin: "firewall-wrapper", config: { ...config, wrapper: { ifName: "eth1" } } };
  expectSuccess(await callPlugin(lab, container, { ...wrappedCall, env: { ...env, CNI_COMMAND: "DEL" } }));
  expect(await rules()).toEqual([]);
});

async function rulesOf(lab: Lab): Promise<readonly string[]> {
  return (await lab.kernel.packetRules()).filter((rule) => rule.includes("172.26.64.2"));
}
