import { resolve } from "node:path";
import { isSea } from "node:sea";
import { jq } from "../../shared/host/node/jq.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { portRange } from "../../shared/protocol/options.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { type List, runtimeIfName } from "../lists/list.ts";
import { attachmentOf, isAttachment, readCachedResults } from "../live/cached-results.ts";
import type { Attachment } from "../live/libcni.ts";
import { Trouble } from "../trouble.ts";
import { exampleAnswers } from "./example-answers.ts";
import type { Source } from "./explain.ts";
import { emptyState, presentState } from "./host-state.ts";

/** Returns a source that invents everything. */
export function exampleSource(attachment: Attachment): Source {
  // jq is a part of the executable.
  const own = isSea() ? jq : undefined;
  return { attachment, state: emptyState(attachment.netns), jq: own, answer: exampleAnswers() };
}

/** Returns a source for a container that runs on this host. */
export function cacheSource({ attachment, result }: Cached, cacheDirectory: string): Source {
  return { ...exampleSource(attachment), state: presentState(cacheDirectory), result };
}

/** Returns an attachment of an invented container, with the ports that a person named, or with invented ones. */
export function exampleAttachment(
  list: List,
  { ports = [], args = "" }: { ports?: readonly string[]; args?: string },
): Attachment {
  const mappings = ports.length > 0 ? ports.map(portMapping) : inventedPorts(list);
  return {
    containerId: "example",
    netns: "/run/netns/example",
    ifName: runtimeIfName,
    args,
    pluginPath: list.isDropIn ? "/opt/cni/first:/opt/cni/bin" : "/opt/cni/bin",
    capabilityArgs: mappings.length > 0 ? { portMappings: mappings } : {},
  };
}

/** Parses a port mapping such as `8080:80` or `8080:80/udp`. Throws Trouble if it is none. */
function portMapping(text: string): JsonObject {
  const [, host, container, protocol = "tcp"] = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(text) ?? [];
  if (host === undefined) throw new Trouble(`--port ${text}: write it like 8080:80 or 8080:80/udp`);
  const [hostPort, containerPort] = [Number(host), Number(container)];
  if (![hostPort, containerPort].every(isPort)) throw new Trouble(`--port ${text}: a port is from 1 to 65535`);
  return { hostPort, containerPort, protocol };
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

// Port 80, and one port for each plugin that asks for some of its own.
function inventedPorts({ plugins }: List): JsonObject[] {
  const isCapable = ({ configuration }: List["plugins"][number]): boolean =>
    isJsonObject(configuration.capabilities) && configuration.capabilities.portMappings === true;
  const capable = plugins.filter(isCapable);
  if (capable.length === 0) return [];
  const own = capable.flatMap(({ wrapper }) => {
    const only = isJsonObject(wrapper.ports) ? wrapper.ports.only : undefined;
    return Array.isArray(only) ? (portRange(only[0])?.[0] ?? []) : [];
  });
  return [...new Set([80, ...own])].map((port) => portMapping(`${20_000 + (port % 10_000)}:${port}`));
}

/** An attachment in libcni's cache, and its result. */
interface Cached {
  readonly attachment: Attachment;
  readonly result: CniResult;
}

/**
 * Reads a container's attachment to a network from libcni's cache. The id may be the beginning of the container's id. Throws
 * Trouble if there is none, or if there are several.
 */
export function readCache(cacheDirectory: string, network: string, container: string, directory: string): Cached {
  const cache = resolve(directory, cacheDirectory);
  const ofNetwork = readCachedResults(cache)
    .filter(isAttachment)
    .filter((one) => one.network === network);
  const begins = ofNetwork.filter(({ containerId }) => containerId.startsWith(container));
  const exact = begins.filter(({ containerId }) => containerId === container);
  const [only, another] = exact.length > 0 ? exact : begins;
  if (only?.result === undefined)
    throw new Trouble(`${cache}/results: there is no attachment of ${container} to the network ${network}`);
  if (another !== undefined)
    throw new Trouble(`${cache}/results: several attachments begin with ${network}-${container}`);
  return { attachment: attachmentOf(only, "/opt/cni/bin"), result: only.result };
}
