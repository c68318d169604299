import fc from "fast-check";
import type { Json, Recall } from "../case.ts";
import { everyVersion } from "../versions.ts";
import { type GeneratedPlugin, generatedPlugins } from "./plugins.ts";
import { oneOf, rarely, sometimes } from "./values.ts";

/** The verbs of the generated calls. */
export const generatedVerbs = ["ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION"] as const;
export type GeneratedVerb = (typeof generatedVerbs)[number];

/** One call of a life, and what happens on the host before it. */
export interface GeneratedCall {
  readonly verb: GeneratedVerb;
  /** Shell commands. Their failure does not matter. */
  readonly before: string;
  /** The difference between the last result and prevResult. */
  readonly recall: Recall | "the last result";
  /** Replaces variables of the call. */
  readonly variables: Readonly<Record<string, string>>;
  /** Cuts stdin after so many bytes. */
  readonly cut: number | undefined;
}

/** The calls for one container, with one plugin configuration. */
export interface GeneratedLife {
  readonly plugin: GeneratedPlugin;
  readonly cniVersion: string | undefined;
  readonly config: Json;
  /** The wrapper's own block. It changes nothing that a runtime sees. */
  readonly wrapper: Json | undefined;
  readonly args: string;
  /** Shell commands that prepare the host. */
  readonly host: string;
  readonly calls: readonly GeneratedCall[];
}

/** Returns the same lives for the same seed, until they have at least so many calls. */
export function livesWith(calls: number, seed: number): GeneratedLife[] {
  const lives: GeneratedLife[] = [];
  let count = 0;
  for (const life of fc.sample(anyLife, { numRuns: calls, seed })) {
    if (count >= calls) break;
    lives.push(life);
    count += life.calls.length;
  }
  return lives;
}

const courses: readonly (readonly GeneratedVerb[])[] = [
  ["ADD", "CHECK", "DEL"],
  ["ADD", "CHECK", "DEL"],
  ["ADD", "CHECK", "CHECK", "DEL", "DEL"],
  ["ADD", "ADD", "DEL"],
  ["ADD", "GC", "CHECK", "DEL"],
  ["ADD", "DEL", "ADD", "CHECK", "DEL"],
  ["CHECK", "DEL"],
  ["VERSION", "STATUS", "ADD", "DEL"],
];

/** Changes of a container and its host by somebody else. */
const disturbances = [
  "ip -n c1 link set eth0 mtu 1300",
  "ip -n c1 link set eth0 address 02:00:00:00:00:78",
  "ip -n c1 address flush dev eth0",
  "ip -n c1 route flush dev eth0",
  "ip -n c1 link delete eth0",
  "ip -n c1 link set eth0 down",
  // The kernel removes the interfaces of a deleted namespace later.
  "ip netns delete c1; for _ in $(seq 200); do ls /sys/class/net | grep -q ^veth || break; sleep 0.05; done",
  "nft flush ruleset",
  "rm -rf /var/lib/cni/networks",
];

/** A chained plugin's ADD may get these. After the others the wrapper and the plugin do different things. */
const recallsOfAdd: readonly Recall[] = ["none", "another MAC", "another address", "ips without interface"];
const recalls: readonly Recall[] = [
  ...recallsOfAdd,
  ...(["another MAC of the bridge", "another name", "another sandbox"] as const),
  ...(["an index that is too high", "no interfaces"] as const),
];

const wrongVariables: readonly Readonly<Record<string, string>>[] = [
  { CNI_CONTAINERID: "" },
  { CNI_CONTAINERID: "../c1" },
  { CNI_IFNAME: "" },
  { CNI_IFNAME: "sixteen-bytes-00" },
  { CNI_IFNAME: "a/b" },
  { CNI_IFNAME: ".." },
  { CNI_NETNS: "" },
  { CNI_NETNS: "/run/netns/missing" },
  { CNI_PATH: "" },
  { CNI_COMMAND: "PRUNE" },
];

const anyLife: fc.Arbitrary<GeneratedLife> = oneOf(...generatedPlugins).chain((plugin) =>
  fc
    .record({
      plugin: fc.constant(plugin),
      cniVersion: rarely<string | undefined>(
        oneOf(...everyVersion, "0.4.0", "1.0.0", "1.1.0", "1.1.0", "1.1.0"),
        oneOf("9.0.0", "", "one", undefined),
        40,
      ),
      config: plugin.config,
      wrapper: oneOf<Json | undefined>(undefined, undefined, {}, { ifName: "eth0" }, { recover: "never" }),
      args: rarely(
        fc.constant(""),
        oneOf(
          "IgnoreUnknown=1;K8S_POD_NAME=web",
          "IgnoreUnknown=1;MAC=02:00:00:00:00:76",
          "IgnoreUnknown=true;MAC=nonsense",
          "K8S_POD_NAME=web",
          "IgnoreUnknown",
        ),
        5,
      ),
      host: plugin.host,
      calls: oneOf(...courses).chain((verbs) => fc.tuple(...verbs.map(anyCall))),
    })
    .map(withoutRepairs),
);

/** A wrapper repairs a failed ADD with what it knows of an earlier one. The plain plugin cannot. */
function withoutRepairs(life: GeneratedLife): GeneratedLife {
  const adds = life.calls.filter(({ verb }) => verb === "ADD");
  return adds.length < 2 ? life : { ...life, wrapper: { ...life.wrapper, recover: "never" } };
}

function anyCall(verb: GeneratedVerb): fc.Arbitrary<GeneratedCall> {
  // The first ADD of a life is on the host as it is. A chained plugin's ADD gets the result of an interface plugin.
  return fc.record({
    verb: fc.constant(verb),
    before: verb === "ADD" ? fc.constant("") : rarely(fc.constant(""), oneOf(...disturbances), 4),
    recall: rarely<GeneratedCall["recall"]>(
      fc.constant("the last result"),
      oneOf(...(verb === "ADD" ? recallsOfAdd : recalls)),
      6,
    ),
    variables: rarely<GeneratedCall["variables"]>(fc.constant({}), oneOf(...wrongVariables), 30),
    cut: sometimes(fc.integer({ min: 0, max: 40 }), 60),
  });
}
