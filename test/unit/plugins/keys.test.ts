import { expect, test } from "vitest";
import * as z from "zod";
import { keysVersion, laterKeys, pluginKeys } from "../../../plugins/keys.ts";

/** What a key takes: a type of Go's, the lowest and the highest number, or the only texts. */
type Kind =
  | "text"
  | "truth"
  | "texts"
  | "pairs"
  | "object"
  | readonly [number, number?]
  | readonly [string, ...string[]];

const uint32 = 4294967295;
const backends = ["iptables", "nftables"] as const;

/** The configuration structs of the plugins of 1.10.0, without the keys that all plugins have: what keys take, and which do. */
const structs: Record<string, readonly (readonly [Kind, ...string[]])[]> = {
  bridge: [
    ["text", "bridge"],
    ["truth", "isGateway", "isDefaultGateway", "forceAddress", "ipMasq", "hairpinMode", "promiscMode"],
    ["truth", "preserveDefaultVlan", "macspoofchk", "enabledad", "disableContainerInterface", "portIsolation"],
    [backends, "ipMasqBackend"],
    [[0], "mtu"],
    [[0, 4094], "vlan"],
    ["object", "vlanTrunk"],
  ],
  macvlan: [
    ["text", "master", "mac"],
    [["bridge", "private", "vepa", "passthru"], "mode"],
    [[0], "mtu"],
    ["truth", "linkInContainer"],
    [[0, uint32], "bcqueuelen"],
  ],
  ptp: [
    ["truth", "ipMasq"],
    [backends, "ipMasqBackend"],
    [[0], "mtu"],
  ],
  ipvlan: [
    ["text", "master"],
    [["l2", "l3", "l3s"], "mode"],
    [[0], "mtu"],
    ["truth", "linkInContainer"],
  ],
  vlan: [
    ["text", "master"],
    [[0, 4094], "vlanId"],
    [[0], "mtu"],
    ["truth", "linkInContainer"],
  ],
  "host-device": [
    ["text", "device", "hwaddr", "kernelpath", "pciBusID"],
    ["truth", "DPDKMode", "useInterfaceNetwork"],
  ],
  tap: [
    ["truth", "multiQueue"],
    [[0], "mtu"],
    ["text", "mac", "selinuxContext", "bridge"],
    [[0, uint32], "owner", "group"],
  ],
  dummy: [["object", "ipam"]],
  portmap: [
    [backends, "backend"],
    ["truth", "snat", "masqAll"],
    ["texts", "conditionsV4", "conditionsV6"],
    [[0, 31], "markMasqBit"],
    ["text", "externalSetMarkChain"],
  ],
  tuning: [
    ["pairs", "sysctl"],
    ["text", "mac", "dataDir"],
    ["truth", "promisc", "allmulti"],
    [[0], "mtu", "txQLen"],
  ],
  bandwidth: [[[0], "ingressRate", "ingressBurst", "egressRate", "egressBurst"]],
  firewall: [
    ["text", "backend", "iptablesAdminChainName", "firewalldZone"],
    [["open", "same-bridge", "isolated"], "ingressPolicy"],
  ],
  sbr: [
    [[-1], "table"],
    ["texts", "gateways"],
    ["truth", "addSourceHints"],
  ],
  vrf: [
    ["text", "vrfname"],
    [[0, uint32], "table"],
  ],
};

/** Values that a key takes, and some that it does not. */
function valuesOf(kind: Kind): { readonly right: readonly unknown[]; readonly wrong: readonly unknown[] } {
  if (kind === "text") return { right: ["eth0"], wrong: [0, true] };
  if (kind === "truth") return { right: [true, false], wrong: ["true", 1] };
  if (kind === "texts") return { right: [[], ["one", "two"]], wrong: ["one", [1]] };
  if (kind === "pairs")
    return { right: [{ "net.core.somaxconn": "500" }], wrong: ["500", { "net.core.somaxconn": 500 }] };
  if (kind === "object") return { right: [], wrong: ["eth0", 1] };
  const [first, last] = kind;
  if (typeof first === "string") return { right: kind, wrong: ["", "other", 0] };
  if (typeof last !== "number") return { right: [first, 9000], wrong: ["0", 0.5, ...(first === 0 ? [-1] : [])] };
  return { right: [first, last], wrong: [first - 1, last + 1, String(first)] };
}

/** Whether the key takes the value. What keys need or exclude of each other is left out. */
function takes(keys: z.ZodObject, key: string, value: unknown): boolean {
  const issues = keys.safeParse({ [key]: value }).error?.issues ?? [];
  return !issues.some(({ path, code }) => path[0] === key && code !== "custom");
}

test("the keys of each plugin are those of its struct", () => {
  const names = Object.entries(pluginKeys).map(([plugin, keys]) => [plugin, Object.keys(keys.shape).sort()]);
  expect(names).toEqual(
    Object.entries(structs).map(([plugin, kinds]) => [plugin, kinds.flatMap(([, ...own]) => own).sort()]),
  );
});

test.each(Object.entries(structs))(
  "%s: each key takes the values of its type, and has a description",
  (plugin, kinds) => {
    const keys: z.ZodObject = pluginKeys[plugin as keyof typeof pluginKeys];
    for (const [key, kind] of kinds.flatMap(([kind, ...own]) => own.map((key) => [key, kind] as const))) {
      const { right, wrong } = valuesOf(kind);
      const refused = right.filter((value) => !takes(keys, key, value));
      expect(refused, `${key} takes`).toEqual([]);
      const taken = wrong.filter((value) => takes(keys, key, value));
      expect(taken, `${key} refuses`).toEqual([]);
    }
    expect(descriptionsIn(z.toJSONSchema(keys)).filter((text) => !/^[A-Za-z].*[.]$/.test(text ?? ""))).toEqual([]);
  },
);

/** The descriptions of all keys in a schema, the inner ones, too. */
function descriptionsIn({ properties = {}, items }: z.core.JSONSchema.BaseSchema): (string | undefined)[] {
  const own = Object.values(properties).filter((one) => typeof one === "object");
  const inner = typeof items === "object" && !Array.isArray(items) ? descriptionsIn(items) : [];
  return [...own.flatMap((one) => [one.description, ...descriptionsIn(one)]), ...inner];
}

test("only vlan, vrf and dummy need a key", () => {
  const missing = Object.entries(pluginKeys).flatMap(([plugin, keys]) =>
    (keys.safeParse({}).error?.issues ?? []).map(({ path }) => `${plugin}: ${path.join(".")}`),
  );
  expect(missing).toEqual(["vlan: master", "dummy: ipam", "vrf: vrfname"]);
  expect(pluginKeys.dummy.safeParse({ ipam: {} }).error?.issues.map(({ path }) => path)).toEqual([["ipam", "type"]]);
});

test("a VLAN trunk has VLANs of 1 to 4094, and no others", () => {
  const trunk = (one: object) => pluginKeys.bridge.safeParse({ vlanTrunk: [one] }).success;
  for (const key of ["id", "minID", "maxID"]) {
    const taken = [0, 1, 4094, 4095, "1"].filter((value) => trunk({ [key]: value }));
    expect(taken, key).toEqual([1, 4094]);
  }
});

test("the bridge's name is one of an interface, or empty", () => {
  const problem = (bridge: string) => pluginKeys.bridge.safeParse({ bridge }).error?.issues[0]?.message;
  expect(["fifteen-letters", ""].map(problem)).toEqual([undefined, undefined]);
  expect(problem("sixteen--letters")).toBeDefined();
  for (const name of ["a/b", "a:", " a"]) expect(problem(name)).toBe("must not contain '/', ':' or white space");
});

test("hairpinMode and promiscMode exclude each other, a rate needs a burst, and a burst a rate", () => {
  const { bridge, bandwidth } = pluginKeys;
  const reasons = (keys: z.ZodObject, value: object) =>
    keys.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`) ?? [];
  const both = ["hairpinMode and promiscMode exclude each other"];
  expect(reasons(bridge, { hairpinMode: true, promiscMode: true })).toEqual(both);
  expect(reasons(bridge, { promiscMode: true })).toEqual([]);
  const noBurst = ["ingressRate needs ingressBurst", "egressBurst needs egressRate"];
  expect(reasons(bandwidth, { ingressRate: 1, egressBurst: 1 })).toEqual(noBurst);
  const noRate = ["ingressBurst needs ingressRate", "egressRate needs egressBurst"];
  expect(reasons(bandwidth, { ingressBurst: 1, egressRate: 1 })).toEqual(noRate);
  const all = { ingressRate: 1, ingressBurst: 1, egressRate: 1, egressBurst: 1 };
  expect(reasons(bandwidth, all)).toEqual([]);
});

test("the keys that 1.10.0 brought", () => {
  expect(keysVersion).toBe("1.10.0");
  expect(laterKeys).toEqual({
    "host-device": { useInterfaceNetwork: "1.10.0" },
    sbr: { gateways: "1.10.0", addSourceHints: "1.10.0" },
  });
});
