import { expect, test, vi } from "vitest";
import { chained } from "../../../../cli/model/chained.ts";
import { creators } from "../../../../cli/model/creators.ts";
import { Machine } from "../../../../cli/model/machine.ts";
import { publishedPorts } from "../../../../cli/model/portmap.ts";
import { runToEnd } from "../../../../cli/model/verbs.ts";
import type { JsonObject } from "../../../../shared/protocol/json.ts";

const ranges = [[{ subnet: "10.60.0.0/24" }], [{ subnet: "fd00:60::/64" }]];
const bridge = { type: "bridge", ipMasq: true, ipam: { type: "host-local", ranges } };
const portMappings = [
  { hostPort: 8080, containerPort: 80, protocol: "tcp" },
  { hostPort: 53, containerPort: 5353, protocol: "udp" },
];
const portmap = { type: "portmap", runtimeConfig: { portMappings } };
const nft = { ...portmap, backend: "nftables" };

/** Runs a list's plugins for a container. */
function call(machine: Machine, verb: string, id: string, plugins: readonly (JsonObject & { type: string })[]): void {
  const env = { CNI_COMMAND: verb, CNI_CONTAINERID: id, CNI_NETNS: `/run/netns/${id}`, CNI_IFNAME: "eth0" };
  let prevResult: JsonObject | undefined = verb === "DEL" ? results.get(id) : undefined;
  for (const plugin of plugins) {
    const config = { cniVersion: "1.0.0", name: "zone", ...plugin, ...(prevResult && { prevResult }) };
    const of = { type: plugin.type, plugin: { ...creators, ...chained }[plugin.type], call: { env, config } };
    const { exitCode, output } = runToEnd(machine, of);
    if (exitCode !== 0) throw new Error(JSON.stringify(output));
    if (verb === "ADD") prevResult = output;
  }
  if (prevResult) results.set(id, prevResult);
}

const results = new Map<string, JsonObject>();

function hostWith(...ids: string[]): Machine {
  const machine = new Machine();
  for (const id of ids) machine.addNamespace(`/run/netns/${id}`);
  return machine;
}

const rulesOf = ({ rules }: Machine) => rules.map(({ chain, text }) => `${chain}: ${text}`);

const rulesOfAdd = [
  "CNI-zonec1: -d 10.60.0.2/24 -j ACCEPT",
  "CNI-zonec1: ! -d 224.0.0.0/4 -j MASQUERADE",
  "POSTROUTING: -s 10.60.0.2 -j CNI-zonec1",
  "CNI-zonec1 (IPv6): -d fd00:60::2/64 -j ACCEPT",
  "CNI-zonec1 (IPv6): ! -d ff00::/8 -j MASQUERADE",
  "POSTROUTING: -s fd00:60::2 -j CNI-zonec1 (IPv6)",
  "CNI-FORWARD: -d 10.60.0.2/32 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
  "CNI-FORWARD: -s 10.60.0.2/32 -j ACCEPT",
  "CNI-FORWARD: -d fd00:60::2/128 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
  "CNI-FORWARD: -s fd00:60::2/128 -j ACCEPT",
  "CNI-DN-zonec1: -p tcp --dport 8080 DNAT 10.60.0.2:80",
  "CNI-HOSTPORT-DNAT: -p tcp --dport 8080 -j CNI-DN-zonec1",
  "CNI-DN-zonec1: -p udp --dport 53 DNAT 10.60.0.2:5353",
  "CNI-HOSTPORT-DNAT: -p udp --dport 53 -j CNI-DN-zonec1",
  "CNI-DN-zonec1: -p tcp --dport 8080 DNAT [fd00:60::2]:80",
  "CNI-DN-zonec1: -p udp --dport 53 DNAT [fd00:60::2]:5353",
];

test("ADD writes the rules of the container, and DEL takes them and no other's", () => {
  const machine = hostWith("c1", "c2");
  const plugins = [bridge, { type: "firewall" }, portmap];
  call(machine, "ADD", "c1", plugins);
  expect(rulesOf(machine)).toEqual(rulesOfAdd);
  expect([...machine.chains]).toEqual(["CNI-zonec1", "CNI-zonec1 (IPv6)", "CNI-DN-zonec1"]);
  expect(publishedPorts(machine)).toEqual([
    { port: "8080/tcp", to: "10.60.0.2:80" },
    { port: "53/udp", to: "10.60.0.2:5353" },
  ]);
  call(machine, "ADD", "c2", plugins);
  call(machine, "DEL", "c1", plugins.toReversed());
  const others = rulesOfAdd.map((rule) => rule.replaceAll("c1", "c2").replace(/(10\.60\.0\.|fd00:60::)2/, "$13"));
  expect(rulesOf(machine)).toEqual(others);
  call(machine, "DEL", "c2", plugins.toReversed());
  expect([machine.rules, machine.chains]).toEqual([[], new Set()]);
});

test("nftables has one chain for all containers, with a comment for each", () => {
  const machine = hostWith("c1", "c2");
  for (const id of ["c1", "c2"]) call(machine, "ADD", id, [bridge, nft]);
  const comments = machine.rules.filter(({ chain }) => chain === "nft hostports").map(({ comment }) => comment);
  expect(comments).toEqual(["c1", "c1", "c1", "c1", "c2", "c2", "c2", "c2"]);
  expect(publishedPorts(machine).map(({ port, to }) => `${port} ${to}`)).toContain("53/udp 10.60.0.2:5353");
  call(machine, "DEL", "c1", [nft, bridge]);
  expect(machine.rules.every(({ text }) => !text.includes("::2") && !text.includes("0.2:"))).toBe(true);
  expect(machine.rules.filter(({ chain }) => chain === "nft hostports")).toHaveLength(4);
});

test.each([
  ["the bridge itself", {}, ["10.60.0.1/24", "fd00:60::1/64"]],
  ["a device on the bridge, with vlan", { vlan: 100 }, []],
])("the gateways' addresses belong to %s", (_, own, addresses) => {
  const machine = hostWith("c1");
  call(machine, "ADD", "c1", [{ ...bridge, isGateway: true, ...own }]);
  expect(machine.bridges.get("cni0")?.addresses).toEqual(addresses);
});

test("host-local looks for a container's leases once, however many sets of ranges it has", () => {
  const machine = hostWith("c1");
  const looks = vi.spyOn(machine.files, Symbol.iterator);
  call(machine, "ADD", "c1", [bridge]);
  expect(looks).toHaveBeenCalledTimes(1);
});

test("host-device ignores mtu: the card keeps its IPv6", () => {
  const machine = hostWith("c1");
  const ipam = { type: "host-local", ranges: [[{ subnet: "fd00:60::/64" }]] };
  call(machine, "ADD", "c1", [{ type: "host-device", device: "ens19", mtu: 1000, ipam }]);
  expect(machine.namespaces.get("/run/netns/c1")?.links.get("eth0")?.addresses).toEqual(["fd00:60::2/64"]);
});

// main.go, parseConfig and ensureBackend. Its words were seen with the real plugin.
test.each([
  [{ conditionsV4: ["ip", "daddr", "192.0.2.1"] }, "iptables", "nftables", "conditionsV4"],
  [
    { conditionsV4: ["-d", "192.0.2.1"], conditionsV6: ["ip6", "daddr", "::1"] },
    "iptables",
    "nftables",
    "conditionsV6",
  ],
  [
    { backend: "nftables", externalSetMarkChain: "KUBE", conditionsV6: ["!", "-d", "::1"] },
    "nftables",
    "iptables",
    "externalSetMarkChain conditionsV6",
  ],
])("portmap refuses the options of another backend: %j", (options, backend, other, keys) => {
  const words = `failed to parse config: ${backend} backend was requested but configuration contains ${other}-specific options [${keys}]`;
  const machine = hostWith("c1");
  expect(() => call(machine, "ADD", "c1", [bridge, { ...portmap, ...options }])).toThrow(words);
  expect(() => call(machine, "DEL", "c1", [{ ...portmap, ...options }])).toThrow(words);
});

test("portmap takes the options of its own backend, and empty ones", () => {
  const own = [
    { conditionsV4: ["!", "-d", "192.0.2.1"], externalSetMarkChain: "KUBE" },
    { conditionsV4: [], conditionsV6: [""] },
    { backend: "nftables", conditionsV4: ["ip", "daddr", "192.0.2.1"] },
  ];
  const add = (options: JsonObject) => call(hostWith("c1"), "ADD", "c1", [bridge, { ...portmap, ...options }]);
  for (const options of own) expect(() => add(options)).not.toThrow();
});
