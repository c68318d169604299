import type { Container, Lab, Outcome } from "../../../support/lab.ts";
import { normalise } from "../../../support/normalise.ts";
import { callPlugin } from "../../../support/plugin-call.ts";
import { snapshot, withoutRecords } from "../../../support/snapshot.ts";
import type { Json } from "../case.ts";
import { recall } from "../compare.ts";
import { generatedMacs } from "./ipam.ts";
import type { GeneratedCall, GeneratedLife } from "./lives.ts";

/** The end of a call, and the host after it if the verb may change it. */
export interface Told {
  readonly outcome: Outcome;
  readonly host: unknown;
}

const container: Container = { name: "c1", netns: "/run/netns/c1" };

/** Runs a life on a clean host. `suffix` makes the plugins' names: nothing, or `-wrapper`. */
export async function tellLife(lab: Lab, life: GeneratedLife, suffix: "" | "-wrapper"): Promise<readonly Told[]> {
  if (life.host !== "") await lab.call("sh", ["-c", life.host]);
  let last: Json | undefined = life.plugin.isChained ? await resultOfBridge(lab, life) : undefined;
  const told: Told[] = [];
  for (const call of life.calls) {
    if (call.before !== "") await lab.call("sh", ["-c", call.before]);
    const outcome = await callWith(lab, life, call, suffix, prevResultOf(life, call, last));
    if (call.verb === "ADD" && outcome.exitCode === 0) last = JSON.parse(outcome.stdout) as Json;
    told.push({ outcome: withoutMoments(outcome), host: await hostAfter(lab, call, outcome) });
  }
  return normalise(told, { keep: generatedMacs });
}

/** The first ADD of an interface plugin has no prevResult. A plugin alone in its list never gets one on ADD. */
function prevResultOf({ plugin }: GeneratedLife, { verb, recall: how }: GeneratedCall, last: Json | undefined): Json {
  if (last === undefined || (verb === "ADD" && !plugin.isChained)) return {};
  if (!["ADD", "CHECK", "DEL"].includes(verb)) return {};
  return recall(last, how === "the last result" ? undefined : how, container);
}

function callWith(
  lab: Lab,
  life: GeneratedLife,
  call: GeneratedCall,
  suffix: string,
  prevResult: Json,
): Promise<Outcome> {
  const { plugin, cniVersion, config, wrapper, args } = life;
  const type = `${plugin.name}${suffix}`;
  const own = suffix === "" ? {} : { wrapper };
  // Both lists name the one attachment that is there.
  const valid = call.verb === "GC" ? { "cni.dev/valid-attachments": [{ containerID: "c1", ifname: "eth0" }] } : {};
  const text = JSON.stringify({ cniVersion, ...config, ...own, ...prevResult, ...valid, type });
  return callPlugin(lab, container, {
    plugin: type,
    config: call.cut === undefined ? text : text.slice(0, call.cut),
    env: { CNI_COMMAND: call.verb, CNI_ARGS: args, ...call.variables },
  });
}

/** The result of a plain bridge, which makes the interface that a chained plugin changes. */
async function resultOfBridge(lab: Lab, { cniVersion }: GeneratedLife): Promise<Json | undefined> {
  const ipam = { type: "host-local", ranges: [[{ subnet: "172.26.64.0/20" }], [{ subnet: "fd00:26::/64" }]] };
  const config = { cniVersion, name: "zone", bridge: "disc0", isGateway: true, ipam };
  const { exitCode, stdout } = await callPlugin(lab, container, { plugin: "bridge", config });
  return exitCode === 0 ? (JSON.parse(stdout) as Json) : undefined;
}

/** Records are the wrapper's own. After a DEL that passed there must be none. */
async function hostAfter(lab: Lab, { verb }: GeneratedCall, { exitCode }: Outcome): Promise<unknown> {
  // The state after the next ADD or DEL shows what the other verbs changed.
  if (verb !== "ADD" && verb !== "DEL") return undefined;
  const state = await snapshot(lab, container);
  return withoutIndexes(verb === "DEL" && exitCode === 0 ? state : withoutRecords(state));
}

/** The kernel counts the links that were ever made on a host. */
function withoutIndexes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIndexes);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !/^(ifindex|link_index|link_netnsid)$/.test(key));
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutIndexes(part)]));
}

/** Go's log begins its lines with the time, and some messages of tuning, bridge and ptp have addresses in memory. */
function withoutMoments({ stdout, stderr, ...outcome }: Outcome): Outcome {
  return {
    ...outcome,
    stdout: stdout
      .replaceAll(/(?<=Transmit Queue Length of \S+ is )\d{10,}/g, "<pointer>")
      .replaceAll(/\b0x[0-9a-f]{8,}\b/g, "<pointer>"),
    stderr: stderr.replaceAll(/^\d{4}(\/\d\d){2} \d\d(:\d\d){2} /gm, "").replaceAll(/\b0x[0-9a-f]{8,}\b/g, "<pointer>"),
  };
}
