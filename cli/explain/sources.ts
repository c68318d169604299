import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isSea } from "node:sea";
import { jq } from "../../shared/host/node/jq.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { portRange } from "../../shared/protocol/options.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { type List, runtimeIfName } from "../lists/list.ts";
import { attachmentOf, isAttachment, readCachedResults } from "../live/cached-results.ts";
import { type Attachment, type Call, callOrder } from "../live/libcni.ts";
import { Trouble, withPath } from "../trouble.ts";
import { exampleAnswers } from "./example-answers.ts";
import type { Source } from "./explain.ts";
import { emptyState, presentState } from "./host-state.ts";
import type { Answer } from "./rehearsal.ts";

/** Returns a source that invents everything. */
export function exampleSource(attachment: Attachment): Source {
  const answers = exampleAnswers();
  return {
    attachment,
    state: emptyState(attachment.netns),
    jq: ownJq(),
    answer: (plugin, type, call) => ({ ...answers(plugin, type, call), origin: "example" }),
  };
}

/** Returns a source for a container that runs on this host. */
export function cacheSource({ attachment, result }: Cached, cacheDirectory: string): Source {
  return { ...exampleSource(attachment), state: presentState(cacheDirectory), result };
}

/** Returns a source that knows the calls of a trace. Throws Trouble if the trace is of another list. */
export function traceSource(list: List, trace: readonly RecordedCall[], example: Attachment): Source {
  const verbs = ["ADD", "CHECK", "DEL", "GC", "STATUS"] as const;
  const calls = new Map(verbs.map((verb) => [verb as ConfiguredVerb, matchTrace(list, verb, trace)]));
  const attachment = attachmentIn(trace, example);
  const invented = exampleSource(attachment);
  return {
    ...invented,
    recorded: (index, verb) => calls.get(verb)?.get(index)?.call,
    answer(plugin, type, call) {
      const known = calls.get(call.environment.CNI_COMMAND as ConfiguredVerb)?.get(plugin.index);
      return known ? { ...known.answer, origin: "trace" } : invented.answer(plugin, type, call);
    },
  };
}

function attachmentIn(trace: readonly RecordedCall[], example: Attachment): Attachment {
  const { environment = {} } = trace.find(({ call }) => call.environment.CNI_CONTAINERID)?.call ?? {};
  const { CNI_CONTAINERID, CNI_NETNS, CNI_IFNAME, CNI_ARGS, CNI_PATH } = environment as Record<string, string>;
  return {
    ...example,
    containerId: CNI_CONTAINERID ?? example.containerId,
    netns: CNI_NETNS ?? example.netns,
    ifName: CNI_IFNAME ?? example.ifName,
    args: CNI_ARGS ?? example.args,
    pluginPath: CNI_PATH ?? example.pluginPath,
  };
}

// jq is a part of the executable.
function ownJq(): Source["jq"] {
  return isSea() ? jq : undefined;
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

/** One recorded call: `NN-VERB-plugin/request.json`, and `delegate.json` if the plugin printed something. */
export interface RecordedCall {
  readonly verb: string;
  readonly plugin: string;
  /** The variables, and the stdin if it was recorded. */
  readonly call: Partial<Call> & Pick<Call, "environment">;
  readonly answer: Answer;
}

/** Reads the recorded calls in a directory, in their order. Throws Trouble if there are none or one cannot be read. */
export function readTrace(path: string, directory: string): readonly RecordedCall[] {
  const full = resolve(directory, path);
  const names = withPath(path, () => readdirSync(full))
    .filter((name) => /^\d+-[A-Z]+-./.test(name))
    .sort();
  if (names.length === 0) throw new Trouble(`${path}: there is no folder like 01-ADD-bridge-wrapper`);
  return names.map((name) => readCall(join(full, name), name));
}

function readCall(folder: string, name: string): RecordedCall {
  const [, verb = "", plugin = ""] = /^\d+-([A-Z]+)-(.+)$/.exec(name) ?? [];
  const { env, stdin } = readObject(join(folder, "request.json"));
  const answerFile = join(folder, "delegate.json");
  const output = existsSync(answerFile) ? readObject(answerFile) : undefined;
  const isError = typeof output?.code === "number" && typeof output.msg === "string";
  const environment = (isJsonObject(env) ? env : {}) as Call["environment"];
  const call = { environment, ...(isJsonObject(stdin) && { stdin }) };
  return { verb, plugin, call, answer: { exitCode: isError ? 1 : 0, output } };
}

function readObject(path: string): JsonObject {
  const value = parseJsonObject(withPath(path, () => readFileSync(path, "utf8")));
  if (value === undefined) throw new Trouble(`${path}: it is not a JSON object`);
  return value;
}

/**
 * Finds the recorded call of each plugin of a list, by its index. A trace may lack plugins that are not wrapped. Throws
 * Trouble if it has calls that are not the list's.
 */
function matchTrace(
  list: List,
  verb: ConfiguredVerb,
  trace: readonly RecordedCall[],
): ReadonlyMap<number, RecordedCall> {
  const calls = trace.filter((call) => call.verb === verb);
  const matched = new Map<number, RecordedCall>();
  let next = 0;
  for (const index of callOrder(list, verb)) {
    const call = calls[next];
    if (call?.plugin !== list.plugins[index]?.type || call === undefined) continue;
    matched.set(index, call);
    next++;
  }
  const rest = calls[next];
  if (rest === undefined) return matched;
  throw new Trouble(
    `the trace is of another list: it has a call ${verb} of ${rest.plugin} that the list does not have`,
  );
}
