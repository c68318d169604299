import { expect, test } from "vitest";
import type { PluginVersion } from "../support/go.ts";
import { type Container, Lab } from "../support/lab.ts";
import { normalise } from "../support/normalise.ts";
import { plainOutcome } from "../support/plain-outcome.ts";
import { callPlugin } from "../support/plugin-call.ts";
import { snapshot, withoutRecords } from "../support/snapshot.ts";
import { bridge, hostLocal, inTurn, macvlan } from "./support.ts";

// A wrapper fails like its plain plugin: the same answer, the same exit code, the same leftovers.

type Json = Record<string, unknown>;

interface Wrong {
  readonly title: string;
  readonly config: Json | string;
  readonly env?: Record<string, string>;
  /** An earlier fault. */
  readonly before?: (lab: Lab, container: Container) => Promise<unknown>;
  /** A part of the message, so that both fail for the expected reason. */
  readonly message: string;
}

const base = { cniVersion: "1.0.0", name: "zone" };
const zoneBridge = { ...base, ...bridge };
const zoneMacvlan = { ...base, ...macvlan };

const wrongs: readonly Wrong[] = [
  {
    title: "bridge: an invalid subnet",
    config: { ...zoneBridge, ipam: hostLocal("172.26.64.0") },
    message: "invalid CIDR address: 172.26.64.0",
  },
  {
    title: "bridge: a subnet that is used up",
    config: { ...zoneBridge, ipam: hostLocal("172.26.64.0/30") },
    before: (lab) => lease(lab, "c2", "172.26.64.2"),
    message: "no IP addresses available in range set",
  },
  {
    title: "bridge: a missing ipam plugin",
    config: { ...zoneBridge, ipam: { type: "missing-ipam" } },
    message: 'failed to find plugin \\"missing-ipam\\" in path',
  },
  {
    title: "bridge: an existing interface",
    config: zoneBridge,
    before: (lab, container) => lab.ip(container, "link", "add", "eth0", "type", "veth"),
    message: "already exists",
  },
  {
    title: "bridge: a link that is not a bridge",
    config: { ...zoneBridge, bridge: "uplink1" },
    message: "already exists but is not a bridge",
  },
  {
    title: "bridge: a value of a wrong type",
    config: { ...zoneBridge, isGateway: "yes" },
    message: "cannot unmarshal string into Go struct field",
  },
  {
    title: "bridge: options that exclude each other",
    config: { ...zoneBridge, hairpinMode: true, promiscMode: true },
    message: "cannot set hairpin mode and promiscuous mode at the same time",
  },
  {
    title: "bridge: default routes from two places",
    config: {
      ...zoneBridge,
      isDefaultGateway: true,
      ipam: {
        type: "host-local",
        ranges: [[{ subnet: "172.26.64.0/20" }], [{ subnet: "fd00:26::/64" }]],
        routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
      },
    },
    message: "file exists",
  },
  {
    title: "bridge: CHECK without a prevResult",
    config: zoneBridge,
    env: { CNI_COMMAND: "CHECK" },
    before: (lab) => lease(lab, "c1", "172.26.64.2"),
    message: "Required prevResult missing",
  },
  {
    title: "bridge: CHECK of another namespace",
    config: { ...zoneBridge, prevResult: resultOf("/run/netns/other") },
    env: { CNI_COMMAND: "CHECK" },
    before: async (lab) => {
      await lease(lab, "c1", "172.26.64.2");
      await lab.ip(undefined, "link", "add", "disc0", "type", "bridge");
    },
    message: "Sandbox in prevResult",
  },
  {
    title: "macvlan: a missing master",
    config: { ...zoneMacvlan, master: "missing0" },
    message: "Link not found",
  },
  {
    title: "macvlan: an MTU above the master's",
    config: { ...zoneMacvlan, mtu: 9000 },
    message: "invalid MTU 9000, must be [0, master MTU(1500)]",
  },
  {
    title: "macvlan: an invalid mode",
    config: { ...zoneMacvlan, mode: "nonsense" },
    message: 'unknown macvlan mode: \\"nonsense\\"',
  },
  {
    title: "macvlan: an address of another subnet",
    config: zoneMacvlan,
    env: { CNI_ARGS: "IgnoreUnknown=true;IP=10.1.2.3" },
    message: "failed to allocate all requested IPs: 10.1.2.3",
  },
  {
    title: "macvlan: an argument that is unknown",
    config: zoneMacvlan,
    env: { CNI_ARGS: "K8S_POD_NAME=web-0" },
    message: "unknown args",
  },
  {
    title: "macvlan: arguments without values",
    config: zoneMacvlan,
    env: { CNI_ARGS: "IgnoreUnknown" },
    message: "invalid pair",
  },
  {
    title: "bridge: a missing namespace",
    config: zoneBridge,
    env: { CNI_NETNS: "/run/netns/missing" },
    message: 'failed to open netns \\"/run/netns/missing\\"',
  },
  {
    title: "bridge: a version that does not exist",
    config: { ...zoneBridge, cniVersion: "9.9.9" },
    message: "incompatible CNI versions",
  },
  {
    title: "bridge: an invalid version",
    config: { ...zoneBridge, cniVersion: "one" },
    message: "incompatible CNI versions",
  },
  {
    title: "bridge: CHECK in a version without it",
    config: { ...zoneBridge, cniVersion: "0.3.1" },
    env: { CNI_COMMAND: "CHECK" },
    message: "config version does not allow CHECK",
  },
  {
    title: "bridge: STATUS in a version without it",
    config: zoneBridge,
    env: { CNI_COMMAND: "STATUS" },
    message: "config version does not allow STATUS",
  },
  {
    title: "bridge: GC in a version without it",
    config: zoneBridge,
    env: { CNI_COMMAND: "GC" },
    message: "config version does not allow GC",
  },
];

/** Calls that no runtime with libcni makes. The wrapper answers them itself, in its own words. */
const malformed: readonly Wrong[] = [
  {
    title: "bridge: no namespace",
    config: zoneBridge,
    env: { CNI_NETNS: "" },
    message: "CNI_NETNS",
  },
  {
    title: "bridge: only CNI_COMMAND",
    config: zoneBridge,
    env: { CNI_CONTAINERID: "", CNI_IFNAME: "", CNI_NETNS: "" },
    message: "CNI_CONTAINERID",
  },
  {
    title: "bridge: a container id with a slash",
    config: zoneBridge,
    env: { CNI_CONTAINERID: "a/b" },
    message: "containerID",
  },
  {
    title: "bridge: an interface name of 16 bytes",
    config: zoneBridge,
    env: { CNI_IFNAME: "sixteen-bytes-00" },
    message: "interface name",
  },
  {
    title: "bridge: an interface name with a slash",
    config: zoneBridge,
    env: { CNI_IFNAME: "eth/0" },
    message: "interface name",
  },
  {
    title: "bridge: an invalid verb",
    config: zoneBridge,
    env: { CNI_COMMAND: "FOO" },
    message: "FOO",
  },
  {
    title: "bridge: no network name",
    config: { ...bridge, cniVersion: "1.0.0" },
    message: "network name",
  },
  {
    title: "bridge: a network name with a slash",
    config: { ...zoneBridge, name: "a/b" },
    message: "network name",
  },
  {
    title: "bridge: configuration that is not JSON",
    config: "{ nothing",
    message: "",
  },
  {
    title: "bridge: no configuration",
    config: "",
    message: "",
  },
];

test.each(inTurn(wrongs))("the same error as plain (plugins $plugins): $title", async (wrong) => {
  const [plain, inside] = await bothFailures(wrong.plugins, wrong);
  expect(plain).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(wrong.message) });
  expect(inside).toEqual(plain);
});

test.each(inTurn(malformed))("the same code as plain (plugins $plugins): $title", async (wrong) => {
  const [plain, inside] = await bothFailures(wrong.plugins, wrong);
  const { stdout: ofPlain, ...plainRest } = plain;
  const { stdout: ofWrapped, ...wrappedRest } = inside;
  expect(plain.exitCode).toBe(1);
  expect(ofPlain).toContain(wrong.message);
  expect(JSON.parse(ofPlain).code).toEqual(expect.any(Number));
  expect(JSON.parse(ofWrapped).code).toBe(JSON.parse(ofPlain).code);
  expect(wrappedRest).toEqual(plainRest);
});

function bothFailures(plugins: PluginVersion, wrong: Wrong) {
  const plugin = wrong.title.split(":", 1)[0] ?? "";
  return Promise.all([
    plainOutcome({ plugins, wrong }, () => failure(plugins, plugin, wrong)),
    failure(plugins, `${plugin}-wrapper`, wrong),
  ]);
}

/** Calls one plugin. Returns its answer and the state that it left. */
async function failure(plugins: PluginVersion, plugin: string, { config, env, before }: Wrong) {
  await using lab = await Lab.start({ plugins });
  const container = await lab.addContainer("c1");
  await before?.(lab, container);
  const outcome = await callPlugin(lab, container, { plugin, config, ...(env && { env }) });
  return normalise({ ...outcome, left: withoutRecords(await snapshot(lab, container)) });
}

function lease(lab: Lab, id: string, address: string): Promise<string> {
  const directory = "/var/lib/cni/networks/zone";
  return lab.run("sh", ["-c", 'mkdir -p "$0"; printf "%s\\r\\neth0" "$1" >"$0/$2"', directory, id, address]);
}

function resultOf(sandbox: string): Json {
  return {
    cniVersion: "1.0.0",
    interfaces: [{ name: "disc0" }, { name: "eth0", sandbox }],
    ips: [{ address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 1 }],
  };
}
