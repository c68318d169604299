import type { Container, Lab } from "../support/lab.ts";
import { bridge, hostLocal, macvlan } from "./support.ts";

type Json = Record<string, unknown>;

/** A call that fails. */
export interface Wrong {
  readonly title: string;
  readonly config: Json | string;
  readonly env?: Record<string, string>;
  /** An earlier fault. */
  readonly before?: (lab: Lab, container: Container) => Promise<unknown>;
  /** A part of the message, so that both fail for the expected reason. */
  readonly message: string;
}

const base = { cniVersion: "1.0.0", name: "zone" };
/** bridge in the network `zone`. */
export const zoneBridge = { ...base, ...bridge };
const zoneMacvlan = { ...base, ...macvlan };

/** Calls that fail with the same error. */
export const wrongs: readonly Wrong[] = [
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
    title: "macvlan: an argument that is unknown",
    config: zoneMacvlan,
    env: { CNI_ARGS: "K8S_POD_NAME=web-0" },
    message: "unknown args",
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
    title: "bridge: CHECK in a version without it",
    config: { ...zoneBridge, cniVersion: "0.3.1" },
    env: { CNI_COMMAND: "CHECK" },
    message: "config version does not allow CHECK",
  },
  {
    title: "bridge: GC in a version without it",
    config: zoneBridge,
    env: { CNI_COMMAND: "GC" },
    message: "config version does not allow GC",
  },
];

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
