import { jsonLines } from "../explain/json-lines.ts";
import { linkNamed } from "../host/links.ts";
import { lintFiles } from "../lint/lint.ts";
import { textReport } from "../lint/text-report.ts";
import { addressOf, cidrOf } from "../lists/addresses.ts";
import { parseListFile } from "../lists/list-file.ts";
import { Trouble } from "../terminal.ts";
import { fields, type HostNetworks, optionOf, parseSubnet, type ValueName, type Values } from "./values.ts";

/** A list to start from. */
export interface Preset {
  readonly title: string;
  readonly listName: string;
  readonly fields: readonly ValueName[];
  /** Values that the preset does not need. */
  readonly optional?: readonly ValueName[];
  plugins(values: Values): readonly object[];
}

const lanFields = ["master", "lan", "gateway", "lanStart", "lanEnd"] as const;

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  "nomad-bridge": {
    title: 'the list that Nomad makes for mode = "bridge"',
    listName: "nomad-bridge",
    fields: ["name", "cniVersion", "bridge", "subnet", "adminChain"],
    optional: ["subnet6"],
    plugins: (values) => [
      { type: "loopback" },
      {
        ...{ type: "bridge-wrapper", bridge: values.bridge, ipMasq: true, isGateway: true, forceAddress: true },
        hairpinMode: false,
        // A tmpfs: a reboot frees the leases.
        ipam: { ...bridgeIpam(values), dataDir: "/var/run/cni" },
      },
      { type: "firewall", backend: "iptables", iptablesAdminChainName: values.adminChain },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  },
  "macvlan+bridge": {
    title: "an address in the surrounding network, and a bridge to the host and its containers",
    listName: "zone",
    fields: ["name", "cniVersion", ...lanFields, "bridge", "subnet"],
    plugins: (values) => [
      { type: "macvlan-wrapper", master: values.master, ipam: { ...lanIpam(values), routes: [{ dst: "0.0.0.0/0" }] } },
      {
        ...{ type: "bridge-wrapper", wrapper: { ifName: "eth1" }, bridge: values.bridge, isGateway: true },
        ipam: { type: "host-local", ranges: [[{ subnet: values.subnet }]] },
      },
    ],
  },
  "dual-stack": {
    title: "a bridge with IPv4 and IPv6, and an address in the surrounding network",
    listName: "dual",
    fields: ["name", "cniVersion", "bridge", ...lanFields, "subnet", "subnet6"],
    plugins: (values) => [
      { type: "bridge-wrapper", bridge: values.bridge, ipMasq: true, isGateway: true, ipam: bridgeIpam(values) },
      { type: "macvlan-wrapper", wrapper: { ifName: "eth1" }, master: values.master, ipam: lanIpam(values) },
    ],
  },
};

function bridgeIpam({ subnet, subnet6 }: Values): object {
  const second = subnet6 === undefined ? [] : [[{ subnet: subnet6 }]];
  const routes = [{ dst: "0.0.0.0/0" }, ...second.map(() => ({ dst: "::/0" }))];
  return { type: "host-local", ranges: [[{ subnet }], ...second], routes };
}

function lanIpam({ lan, lanStart, lanEnd, gateway }: Values): object {
  return { type: "host-local", ranges: [[{ subnet: lan, rangeStart: lanStart, rangeEnd: lanEnd, gateway }]] };
}

const width = 160;

/** Returns the text of a new list, and what to know about it. Throws Trouble if a value is missing or wrong. */
export function newList(named: string, options: Values, host: HostNetworks): { text: string; note?: string } {
  const preset = presets[named];
  if (!preset) throw new Trouble(`${named} is not a preset`);
  checkOptions(preset, options);
  const values = completeValues(preset, options, host);
  refuseEnds(values);
  const { name, cniVersion, lan, lanStart, lanEnd } = values;
  const lines = jsonLines({ cniVersion, name, plugins: preset.plugins(values) }, width);
  const text = `${lines.join("\n")}\n`;
  const findings = lintFiles([parseListFile("the new list", text)]);
  if (findings.length > 0)
    throw new Trouble(`the list would have mistakes:\n${textReport(findings, { hasColors: false })}`);
  if (lan === undefined) return { text };
  const note = `Containers get addresses of ${lan} from ${lanStart} to ${lanEnd}. No other host or DHCP server may give them out.`;
  return { text, note: [note, ...missingMaster(values, host)].join("\n") };
}

// host-local gives out both.
function refuseEnds({ lan, lanStart, lanEnd }: Values): void {
  const range = parseSubnet(lan);
  if (range === undefined) return;
  if (addressOf(lanStart)?.value === range.first)
    throw new Trouble(`${optionOf("lanStart")}: ${lanStart} is the address of the network itself`);
  if (addressOf(lanEnd)?.value === range.last)
    throw new Trouble(`${optionOf("lanEnd")}: ${lanEnd} is the broadcast address of the network`);
}

// The list may be for another host. Without links, ip(8) did not answer.
function missingMaster({ master }: Values, { links }: HostNetworks): readonly string[] {
  if (links.length === 0 || linkNamed(master, links)) return [];
  return [`This host has no interface ${master} now: ADD fails until it has one.`];
}

function checkOptions({ fields: needed, optional = [] }: Preset, options: Values): void {
  const given = (Object.keys(fields) as ValueName[]).filter((name) => options[name] !== undefined);
  const unused = given.find((name) => !needed.includes(name) && !optional.includes(name));
  if (unused !== undefined) throw new Trouble(`${optionOf(unused)} has no use in this preset`);
}

/** Returns all values of a preset: an option's value, or the suggestion. Throws Trouble if a value is missing or no subnet. */
function completeValues(preset: Preset, options: Values, host: HostNetworks): Values {
  const optional = (preset.optional ?? []).filter((name) => options[name] !== undefined);
  let values: Values = { name: preset.listName };
  for (const name of [...preset.fields, ...optional]) {
    const { message, example, suggest } = fields[name];
    const value = options[name] ?? suggest(values, host);
    if (value === undefined) throw new Trouble(`${optionOf(name)} is missing: this host does not tell the ${message}`);
    if (example !== undefined && cidrOf(value)?.bits !== cidrOf(example)?.bits)
      throw new Trouble(`${optionOf(name)}: ${value} must be a subnet such as ${example}`);
    values = { ...values, [name]: value };
  }
  return values;
}
