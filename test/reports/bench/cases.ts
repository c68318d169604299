/** A timed call of a plugin. */
export interface Case {
  readonly title: string;
  /** CNI_COMMAND. If it is empty, the call prints the version and runs no plugin. */
  readonly verb: "" | "ADD" | "CHECK" | "DEL" | "VERSION";
  readonly plugin: Plugin;
  readonly request: object;
  /** The interfaces that the wrappers' records name before the call. */
  readonly recorded: Recorded;
}

export type Recorded = "none" | "eth0" | "eth0 and eth1";

export type Plugin = "macvlan" | "bridge";

/** A mount of the network namespace in which the benchmark runs. Calls read its identity and do not change it. */
export const sandbox = "/var/lib/netns";
const id = "7fe523bb-c95c-f620-67ec-eb117ab0b85e";

/** The CNI variables and PATH of each call, as Nomad sets them, without CNI_COMMAND and CNI_PATH. */
export const variables: Readonly<Record<string, string>> = {
  CNI_CONTAINERID: id,
  CNI_NETNS: sandbox,
  CNI_IFNAME: "eth0",
  CNI_ARGS: `IgnoreUnknown=true;NOMAD_ALLOC_ID=${id};NOMAD_GROUP_NAME=g;NOMAD_JOB_ID=two;NOMAD_NAMESPACE=default;NOMAD_REGION=global`,
  PATH: "/usr/bin:/bin",
};

/** The `wrapper` block, which only wrappers get. */
export const wrapperBlocks: Readonly<Record<Plugin, object | undefined>> = {
  macvlan: undefined,
  bridge: { ifName: "eth1" },
};

/** The delegates' answers to ADD, as the reference plugins gave them in the chain of hashicorp/nomad#25510. */
export const answers = {
  macvlan: {
    cniVersion: "1.0.0",
    interfaces: [{ name: "eth0", mac: "6a:76:84:09:1e:b8", sandbox }],
    ips: [{ address: "172.16.5.2/24", gateway: "172.16.5.1", interface: 0 }],
  },
  bridge: {
    cniVersion: "1.0.0",
    interfaces: [
      { name: "disc0", mac: "9e:48:8f:63:fa:d7" },
      { name: "veth784b9975", mac: "f6:f3:c5:bd:14:5a" },
      { name: "eth1", mac: "82:73:39:6b:b2:49", sandbox },
    ],
    ips: [{ address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 2 }],
    routes: [{ dst: "10.99.0.0/16" }],
  },
} satisfies Record<Plugin, object>;

/** The result of the whole chain, written by hand. The runtime passes it on CHECK and DEL. */
const whole = {
  cniVersion: "1.0.0",
  interfaces: [...answers.macvlan.interfaces, ...answers.bridge.interfaces],
  ips: [...answers.macvlan.ips, { address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 3 }],
  routes: [{ dst: "10.99.0.0/16" }],
};

const list = { cniVersion: "1.0.0", name: "zone" };
const dataDir = "/var/run/cni";

const macvlan = {
  ...list,
  master: "uplink0",
  mode: "bridge",
  ipam: { type: "host-local", dataDir, ranges: [[{ subnet: "172.16.5.0/24" }]] },
};

const bridge = {
  ...list,
  bridge: "disc0",
  isGateway: true,
  ipam: { type: "host-local", dataDir, ranges: [[{ subnet: "172.26.64.0/20" }]], routes: [{ dst: "10.99.0.0/16" }] },
};

/** The timed calls of a runtime, for the first and the second interface plugin of a list. */
export const cases: readonly Case[] = [
  { title: "start", verb: "", plugin: "macvlan", request: {}, recorded: "none" },
  { title: "CHECK first", verb: "CHECK", plugin: "macvlan", request: checked(macvlan), recorded: "eth0 and eth1" },
  { title: "CHECK chained", verb: "CHECK", plugin: "bridge", request: checked(bridge), recorded: "eth0 and eth1" },
  { title: "ADD first", verb: "ADD", plugin: "macvlan", request: macvlan, recorded: "none" },
  { title: "ADD chained", verb: "ADD", plugin: "bridge", request: chained(bridge), recorded: "eth0" },
  { title: "DEL chained", verb: "DEL", plugin: "bridge", request: checked(bridge), recorded: "eth0 and eth1" },
  { title: "VERSION", verb: "VERSION", plugin: "macvlan", request: { cniVersion: "1.0.0" }, recorded: "none" },
];

function checked(configuration: object): object {
  return { ...configuration, prevResult: whole };
}

function chained(configuration: object): object {
  return { ...configuration, prevResult: answers.macvlan };
}

/** The case of that title. */
export function caseOf(title: string): Case {
  const found = cases.find((one) => one.title === title);
  if (!found) throw new Error(`there is no case ${title}`);
  return found;
}

/** These cases show how the cost grows with the interfaces in prevResult and with the plugin's configuration. */
export const growthCases = {
  interfaces: [2, 8, 32, 128].map((count) => growthCase(`${count} interfaces`, { prevResult: resultOf(count) })),
  configuration: [1, 32, 1024].map((kilobytes) =>
    growthCase(`${kilobytes} KB`, { args: labels(kilobytes * 1024), prevResult: resultOf(2) }),
  ),
};

function growthCase(title: string, more: object): Case {
  return { title, verb: "CHECK", plugin: "macvlan", request: { ...macvlan, ...more }, recorded: "eth0 and eth1" };
}

/**
 * A result with this number of container interfaces, each with an address and a route: eth0 and those of other plugins.
 */
function resultOf(count: number): object {
  const indices = Array.from({ length: count }, (_, index) => index);
  return {
    cniVersion: "1.0.0",
    interfaces: indices.map((index) => ({ name: `eth${index}`, mac: macOf(index), sandbox })),
    ips: indices.map((index) => ({ address: `172.16.${index}.2/24`, gateway: `172.16.${index}.1`, interface: index })),
    routes: indices.map((index) => ({ dst: `10.${index}.0.0/16` })),
  };
}

function macOf(index: number): string {
  return `6a:76:84:09:1e:${index.toString(16).padStart(2, "0")}`;
}

/** Labels of about this number of bytes, in the form of the CNI conventions. */
function labels(bytes: number): object {
  const label = (index: number) => ({ key: `label-${String(index).padStart(6, "0")}`, value: "x".repeat(32) });
  const size = JSON.stringify(label(0)).length + 1;
  return { cni: { labels: Array.from({ length: Math.ceil(bytes / size) }, (_, index) => label(index)) } };
}
