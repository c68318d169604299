import { addressesOf, attachmentsOf } from "../../shared/attachment/attachments.ts";
import { withOwnPorts } from "../../shared/call/delegate-call.ts";
import { goLookup, type JsonObject, objectOf, objectsOf } from "../../shared/protocol/json.ts";
import { isPorts, type PortsOption } from "../../shared/protocol/options.ts";
import type { Interface } from "../../shared/protocol/result.ts";
import { deviceName, reportedBy } from "../lists/list.ts";
import { plainTable } from "../plain-table.ts";
import type { Explanation, Step } from "./explain.ts";

/** A table of the container's interfaces, their plugins and the host's side; undefined if there is no result with interfaces. */
export function attachmentTable(explanation: Explanation): string | undefined {
  const interfaces = interfacesOf(explanation);
  if (interfaces.length === 0) return undefined;
  const rows = interfaces.flatMap(({ ifName, maker = "", devices, addresses, ports, acting }) => {
    const outside = [devices.join(" ─ "), ...ports];
    const inside = [...addresses, ...acting.map((type) => `(${type})`)];
    return Array.from({ length: Math.max(outside.length, inside.length) }, (_, index) => {
      const names = index === 0 ? [maker, ifName] : ["", ""];
      return [outside[index] ?? "", ...names, inside[index] ?? ""];
    });
  });
  return plainTable(["host", "plugin", "interface", "address"], rows);
}

/** Returns the container interfaces of a result, each with everything that leads to it; none if the list has no result. */
export function interfacesOf(explanation: Explanation) {
  const { attachment, result = {} } = explanation;
  const interfaces = result.interfaces ?? [];
  return attachmentsOf(interfaces).map(({ container, members }) => {
    const own = interfaces[container] as Interface;
    const hostSide = members.filter((index) => index !== container);
    const devices = hostSide.map((index) => interfaces[index]?.name ?? "");
    const selector = { ifName: own.name, netns: own.sandbox ?? "", runtimeIfName: attachment.ifName };
    return attached(explanation, own, devices, addressesOf(result, selector));
  });
}

function attached(explanation: Explanation, { name }: Interface, devices: readonly string[], addresses: string[]) {
  const own = explanation.list.plugins.filter((plugin) => plugin.ifName === name);
  const maker = own.find(({ role }) => role === "creator");
  const made = explanation.added.find(({ plugin }) => plugin === maker);
  const chosenBy = made?.runs.find(({ answer }) => answer.chosenBy !== undefined)?.answer.chosenBy;
  const { uses } = reportedBy(maker?.delegate ?? "");
  const used = maker && uses && deviceName(uses, maker.configuration);
  return {
    ifName: name,
    /** Without `-wrapper`. Undefined if no plugin of the list says that it made the interface. */
    maker: maker?.delegate,
    /** The host's, the one next to the container last. */
    devices: [...(used === undefined ? [] : [used]), ...devices],
    addresses: chosenBy === undefined ? addresses : addresses.map((address) => `${address} (from ${chosenBy})`),
    /** The published ports and who publishes them, such as `portmap :25080/tcp to :80`. None lead to no address. */
    ports:
      addresses.length === 0 ? [] : explanation.steps.filter(({ plugin }) => plugin.ifName === name).flatMap(portsOf),
    /** The other wrapped chained plugins that act on it. */
    acting: own
      .filter((one) => one.role === "meta" && one.isWrapped && !reportedBy(one.delegate).publishes)
      .map(({ delegate }) => delegate),
  };
}

// DEL gets all ports, so the wrapper's choice is made here.
function portsOf({ plugin, given, plan }: Step): string[] {
  if (!reportedBy(plugin.delegate).publishes || (plugin.isWrapped && !plan)) return [];
  const { ports } = plugin.isWrapped ? plugin.wrapper : {};
  const { runtimeConfig } = isPorts(ports) ? withOwnPorts(given.stdin, ports as PortsOption) : given.stdin;
  const mappings = objectsOf(objectOf(runtimeConfig).portMappings);
  return mappings.map((mapping) => `${plugin.delegate} ${portWords(mapping)}`);
}

function portWords(mapping: JsonObject): string {
  const [host, container] = [goLookup(mapping, "hostPort"), goLookup(mapping, "containerPort")];
  const [protocol, hostIp] = [goLookup(mapping, "protocol"), goLookup(mapping, "hostIP")];
  return `${hostIp || ""}:${host}/${String(protocol ?? "tcp").toLowerCase()} to :${container}`;
}
