import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import type { FoundAt, PluginRule } from "../lint/rule.ts";
import { creatorsOf, isRewritten, type List, type ListedPlugin, runsCheck } from "../lists/list.ts";
import { amongNeighbours, isBefore, nameOf, type Run } from "../lists/neighbours.ts";

export const sharedDevice: PluginRule = {
  title: "Two plugins cannot share this interface of the host.",
  page: `host-device moves its device into the container, so a second plugin does not find it. A VLAN id exists once on a master:
the second vlan fails (\`file exists\`). A master carries macvlan or ipvlan interfaces, not both (\`device or resource busy\`).
With \`"mode": "passthru"\`, macvlan takes its master for itself (\`invalid argument\`). All ipvlan interfaces of a master have one
mode: the second one's ADD changes the first one's, whose CHECK then fails (\`Container IPVlan mode l3 does not match expected
value: l2\`). A macvlan on a bridge makes the bridge promiscuous, and so does another bridge plugin with \`promiscMode\`. CHECK of a
bridge plugin without it then fails (\`configured Promisc Mode false doesn't match current state: true\`). Use another device, id,
mode, or kind of plugin. The lists of a directory are compared, too, for macvlan and ipvlan on one master, and for a bridge.`,
  findInPlugin(plugin, list, { lists }) {
    if (isRewritten(plugin)) return undefined;
    const creators = creatorsOf(list).filter((creator) => !isRewritten(creator));
    const earlier = creators.slice(0, Math.max(creators.indexOf(plugin), 0));
    const found = earlier.flatMap((other) => conflictOf({ plugin, list }, { plugin: other, list }) ?? []);
    return [...found, ...conflictsElsewhere(plugin, list, lists)].slice(0, 1);
  },
};

/** A device that is moved into a container may be in two lists on purpose, for one container after the other. */
function conflictsElsewhere(plugin: ListedPlugin, list: List, lists: Run): readonly FoundAt[] {
  const kinds = rivals.get(plugin.delegate) ?? [];
  const others = kinds.flatMap((kind) => onDevice(list, lists, deviceKey(kind, plugin)));
  return others.flatMap((other) => {
    const found = isBefore(other.list, list, lists) ? conflictOf({ plugin, list }, other) : undefined;
    return found ? { ...found, message: `${found.message}: see ${nameOf(other.list)}` } : [];
  });
}

const rivals: ReadonlyMap<string, readonly string[]> = new Map([
  ["macvlan", ["ipvlan", "bridge"]],
  ["ipvlan", ["macvlan", "ipvlan"]],
  ["bridge", ["macvlan", "bridge"]],
]);

const onDevice = amongNeighbours((list) => {
  const creators = creatorsOf(list).filter((plugin) => !isRewritten(plugin));
  // Two lists are of two containers.
  const known = creators.filter((plugin) => deviceOf(plugin) !== "" && plugin.configuration.linkInContainer !== true);
  return known.map((plugin) => ({ list, key: deviceKey(plugin.delegate, plugin), plugin }));
});

function deviceKey(delegate: string, plugin: ListedPlugin): string {
  return `${delegate} ${deviceOf(plugin)}`;
}

/** The master, or the bridge. */
function deviceOf({ profile, configuration }: ListedPlugin): string {
  const { master } = configuration;
  return sharedDeviceName(profile, configuration) ?? (typeof master === "string" ? master : "");
}

/** A plugin, and the list that has it. */
type Placed = Readonly<{ plugin: ListedPlugin; list: List }>;

function conflictOf(later: Placed, earlier: Placed): FoundAt | undefined {
  const [plugin, other] = [later.plugin, earlier.plugin];
  const [own, others] = [plugin.configuration, other.configuration];
  const kinds = [other.delegate, plugin.delegate];
  const areAll = (delegate: string) => kinds.every((kind) => kind === delegate);
  if (areAll("host-device")) {
    const key = ["device", "hwaddr", "kernelpath", "pciBusID"].find((name) => own[name]);
    if (key === undefined || own[key] !== others[key]) return undefined;
    return { at: [key], message: `${other.type} has taken ${own[key]} already`, hint: "Use another device" };
  }
  if (kinds.includes("bridge") && kinds.every((kind) => /^(?:bridge|macvlan)$/.test(kind)))
    return promiscConflict(later, earlier);
  const { master } = own;
  const isInOne = (own.linkInContainer === true) !== (others.linkInContainer === true);
  if (typeof master !== "string" || master === "" || master !== others.master || isInOne) return undefined;
  if (areAll("vlan") && own.vlanId === others.vlanId) {
    const message = `${master} has VLAN ${own.vlanId} once, and ${other.type} makes it already`;
    return { at: ["vlanId"], message, hint: "Use another vlanId" };
  }
  if (kinds.includes("macvlan") && kinds.includes("ipvlan")) {
    const message = `${master} carries ${other.delegate} interfaces already, so it cannot carry ${plugin.delegate}`;
    return { at: ["master"], message, hint: `Use another master, or ${other.delegate} for both` };
  }
  if (areAll("ipvlan")) return modeConflict(own, others);
  if (!areAll("macvlan") || ![own.mode, others.mode].includes("passthru")) return undefined;
  const message = `with mode passthru, ${master} can carry one macvlan interface only`;
  return { at: ["master"], message, hint: "Use another master or mode" };
}

/** A bridge has no filter for the MAC of a macvlan, so the kernel lets it receive everything. */
function promiscConflict(later: Placed, earlier: Placed): FoundAt | undefined {
  const isPromisc = ({ delegate, configuration }: ListedPlugin) =>
    delegate === "macvlan" ? configuration.linkInContainer !== true : configuration.promiscMode === true;
  const [{ plugin: maker }, { plugin: bridge, list }] = isPromisc(later.plugin) ? [later, earlier] : [earlier, later];
  const name = deviceOf(bridge);
  if (deviceOf(maker) !== name || !isPromisc(maker) || isPromisc(bridge)) return undefined;
  // The other one may be a macvlan in the container. CHECK is the bridge's.
  if (bridge.delegate !== "bridge" || !runsCheck(list)) return undefined;
  const message = `${maker.type} makes ${name} promiscuous, so CHECK of ${bridge.type} fails`;
  const hint = `Use another ${maker.delegate === "bridge" ? "bridge" : "master"} for ${maker.type}, or set "promiscMode": true for ${bridge.type}`;
  return { at: [later.plugin.delegate === "bridge" ? "bridge" : "master"], message, hint };
}

/** The mode is the master's (ipvlan_set_port_mode of the kernel). */
function modeConflict(own: JsonObject, others: JsonObject): FoundAt | undefined {
  const [mode, earlier] = [own, others].map((configuration) => configuration.mode || "l2");
  if (mode === earlier || !ipvlanModes.includes(mode) || !ipvlanModes.includes(earlier)) return undefined;
  const message = `all ipvlan interfaces of ${own.master} get the mode ${mode}, so CHECK of the one with ${earlier} fails`;
  return { at: ["master"], message, hint: "Use another master, or one mode for both" };
}

const ipvlanModes: readonly unknown[] = ["l2", "l3", "l3s"];
