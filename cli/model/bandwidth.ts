import { goLookup, type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import type { Link, Machine } from "./machine.ts";
import { namesOf, open, type Plugin, type PluginCall, PluginError, passedOn, resultOf } from "./plugin.ts";

/** The limits of bandwidth: of both ways. */
function limitsOf({ runtimeConfig, ...own }: JsonObject): { ingress: boolean; egress: boolean } {
  const keys = ["ingressRate", "ingressBurst", "egressRate", "egressBurst"];
  const given = objectOf(goLookup(objectOf(runtimeConfig), "bandwidth"));
  const limits = keys.some((key) => own[key] !== undefined) ? own : given;
  const [inRate, inBurst, outRate, outBurst] = keys.map((key) => Number(limits[key] ?? 0));
  for (const [rate, burst] of [
    [inRate, inBurst],
    [outRate, outBurst],
  ]) {
    if (rate && !burst) throw new PluginError("if rate is set, burst must also be set");
    if (burst && !rate) throw new PluginError("if burst is set, rate must also be set");
  }
  return { ingress: Boolean(inRate), egress: Boolean(outRate) };
}

/** Returns the name of the device for a network and a container. The real one ends with a digest, too: another and longer one. */
export function shaperName(network: string, containerId: string): string {
  let sum = 2166136261;
  for (const one of `${network}${containerId}`) sum = Math.imul(sum ^ (one.codePointAt(0) ?? 0), 16777619);
  return `bwp${(sum >>> 0).toString(16).padStart(8, "0")}`;
}

function shaperOf(call: PluginCall): string {
  const { network, containerId } = namesOf(call);
  return shaperName(network, containerId);
}

/** The link of a call whose host end is in the result (getHostInterface). */
function shapedLink(machine: Machine, call: PluginCall): Link {
  const { interfaces } = resultOf(call.config);
  if (interfaces.length === 0) throw new PluginError("no interfaces provided");
  const name = call.env.CNI_IFNAME;
  const link = open(machine, call).links.get(String(name));
  if (!link?.hostEnd) {
    const reason = link
      ? `interface "${name}" was not a veth interface`
      : `could not look up "${name}": Link not found`;
    throw new PluginError(`container interface ${name} has no veth peer: ${reason}`);
  }
  if (!interfaces.some((one) => one.name === link.hostEnd && !one.sandbox)) {
    throw new PluginError("no veth peer of container interface found in host ns");
  }
  return link;
}

/** bandwidth: a device for the network and the container, which shapes what the link's other end gets (plugins/meta/bandwidth). */
export const bandwidth: Plugin = {
  *add(machine, call) {
    const { ingress, egress } = limitsOf(call.config);
    const result = passedOn(call.config);
    if (!ingress && !egress) return result;
    const link = shapedLink(machine, call);
    if (ingress && link.attributes.has("limited")) throw new PluginError("create qdisc: file exists");
    if (ingress) link.attributes.set("limited", 1);
    if (!egress) return result;
    const name = shaperOf(call);
    if (machine.devices.has(name)) throw new PluginError("adding link: file exists");
    const device = machine.addDevice(name);
    yield "device made";
    link.shaper = device;
    yield "traffic shaped";
    return { ...result, interfaces: [...resultOf(call.config).interfaces, { name, mac: "02:00:00:00:00:01" }] };
  },
  check(machine, call) {
    const { egress } = limitsOf(call.config);
    passedOn(call.config, "must be called as a chained plugin");
    shapedLink(machine, call);
    if (egress && !machine.devices.has(shaperOf(call))) throw new PluginError("get ifb device: Link not found");
  },
  *del(machine, call) {
    limitsOf(call.config);
    machine.devices.delete(shaperOf(call));
    yield "device deleted";
  },
};
