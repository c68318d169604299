import type { Host } from "../../shared/host/host.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { portRange } from "../../shared/protocol/options.ts";
import { hasCapability, type List, runtimeIfName } from "../lists/list.ts";
import type { AttachmentParameters } from "../live/libcni.ts";
import { Machine } from "../model/machine.ts";
import { viewOf } from "../model/view.ts";
import { Trouble } from "../terminal.ts";
import type { Source } from "./explain.ts";
import { modelAnswers } from "./model-answers.ts";

/** Returns a source that answers as the plugins do on a host of the model, on which nothing is yet but the container. */
export function exampleSource(attachment: AttachmentParameters, jq?: Host["jq"], machine = new Machine()): Source {
  if (!machine.namespaces.has(attachment.netns)) machine.addNamespace(attachment.netns);
  return { attachment, state: viewOf(machine), jq, answer: modelAnswers(machine) };
}

/** Returns an attachment of an invented container, with the ports that a person named, or with invented ones. */
export function exampleAttachment(list: List, ports: readonly string[] = [], args = ""): AttachmentParameters {
  const mappings = ports.length > 0 ? ports.map(portMapping) : inventedPorts(list);
  return {
    containerId: "example",
    netns: "/run/netns/example",
    ifName: runtimeIfName,
    args,
    pluginPath: pluginPath(list.isDropIn),
    capabilityArgs: mappings.length > 0 ? { portMappings: mappings } : {},
  };
}

/** The CNI_PATH of a runtime on a host of the documentation. */
export function pluginPath(isDropIn: boolean): string {
  return isDropIn ? "/opt/cni/first:/opt/cni/bin" : "/opt/cni/bin";
}

/** Parses a port mapping such as `8080:80` or `8080:80/udp`. Throws Trouble if it is none. */
function portMapping(text: string): JsonObject {
  const [, host, container, protocol = "tcp"] = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(text) ?? [];
  if (host === undefined) throw new Trouble(`--port ${text}: write it like 8080:80 or 8080:80/udp`);
  const [hostPort, containerPort] = [Number(host), Number(container)];
  const isPossible = [hostPort, containerPort].every((port) => port >= 1 && port <= 65_535);
  if (!isPossible) throw new Trouble(`--port ${text}: a port is from 1 to 65535`);
  return { hostPort, containerPort, protocol };
}

// Port 80, and one port for each plugin that asks for some of its own.
function inventedPorts({ plugins }: List): JsonObject[] {
  const capable = plugins.filter((plugin) => hasCapability(plugin, "portMappings"));
  if (capable.length === 0) return [];
  const own = capable.flatMap(({ wrapper }) => {
    const only = isJsonObject(wrapper.ports) ? wrapper.ports.only : undefined;
    return Array.isArray(only) ? (portRange(only[0])?.[0] ?? []) : [];
  });
  return [...new Set([80, ...own])].map((port) => portMapping(`${20_000 + (port % 10_000)}:${port}`));
}
