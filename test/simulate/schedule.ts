import { type Event, type Fault, faultKinds, type VerbEvent } from "./event.ts";
import { isInPlace, isLive, isOld } from "./life.ts";
import { isPlain, type Lists } from "./lists.ts";
import type { Random } from "./random.ts";
import { randomLists } from "./random-lists.ts";
import type { Simulation } from "./simulation.ts";

/** The lists and the attachments of a schedule, and what may happen. */
export interface Scene {
  readonly lists: Lists;
  readonly attachments: readonly string[];
  /** The kinds of events, each as often as it is listed. */
  readonly kinds: readonly Kind[];
  /**
   * In the plain scene: the attachments whose ADD comes only while another one is live, which has one of its names. Its
   * runtimes are not killed alone.
   */
  readonly clashes?: Readonly<Record<string, string>>;
}

const basicKinds = [
  "verb",
  "verb",
  "verb",
  "verb",
  "verb",
  "verb",
  "GC",
  "reboot",
  "lose the namespace",
  "wait",
] as const;
const wilderKinds = ["together", "rename", "remove from the list", "uninstall", "set the clock", "task stays"] as const;
type Kind = (typeof basicKinds)[number] | (typeof wilderKinds)[number];

const local = (subnet: number) => ({ ipam: { type: "host-local", subnet: `10.${subnet}.0.0/24` } });

/** Lists whose attachments get in each other's way only where two interfaces have one name. */
const plainScene: Scene = {
  lists: {
    za: [
      { type: "macvlan-wrapper", ...local(1) },
      { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, ...local(2) },
      { type: "tuning-wrapper" },
      { type: "tuning-wrapper", wrapper: { ifName: "eth1" } },
      { type: "firewall-wrapper", wrapper: { ifName: "eth1" } },
    ],
    zb: [
      { type: "bridge-wrapper", ...local(3) },
      { type: "macvlan-wrapper", wrapper: { ifName: "net2" }, ...local(4) },
      { type: "tuning-wrapper", wrapper: { ifName: "net2" } },
    ],
    zc: [
      { type: "macvlan-wrapper", ...local(5) },
      { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, ...local(6) },
    ],
  },
  attachments: ["c1 za eth0", "c1 zb net1", "c2 za eth0", "c2 za net1", "c3 za eth0", "c3 zc net1", "c4 za eth0"],
  kinds: basicKinds,
  clashes: { "c2 za net1": "c2 za eth0", "c3 zc net1": "c3 za eth0" },
};

/** Returns the scene of a schedule: the plain one, or one with siblings that share names, pools and plugins. */
export function sceneOf(random: Random, hasSiblings: boolean): Scene {
  if (!hasSiblings) return plainScene;
  const { lists, attachments } = randomLists(random);
  // Each schedule leaves some kinds out, so that the others come together more often.
  return { lists, attachments, kinds: [...basicKinds, ...wilderKinds.filter(() => random.once(2))] };
}

/** Chooses the next event: what a runtime or an operator may do now. */
export function nextEvent(random: Random, scene: Scene, simulation: Simulation): Event {
  const key = random.of(scene.attachments);
  const [container = "", list = ""] = key.split(" ");
  const kind = random.of(scene.kinds);
  const ofList = ["verb", "GC", "rename", "remove from the list"];
  if (isPlain(scene.lists[list]) && ofList.includes(kind)) return plainVerb(simulation, key);
  switch (kind) {
    case "verb":
      return nextVerb(random, scene, simulation, key);
    case "together":
      return together(random, scene, simulation, container);
    case "GC":
      return random.once(2) ? { do: "GC", list } : { do: "GC", list, by: "another" };
    case "lose the namespace":
      return { do: kind, container };
    case "task stays":
      return { do: "lose the namespace", container, task: true };
    case "wait":
      return { do: "wait", minutes: 16 };
    case "set the clock":
      return { do: kind, minutes: random.of([-60, -1, 1, 60]) };
    case "rename":
      return { do: kind, list, from: "eth1", to: random.of(["eth2", "net2", ""]) };
    case "remove from the list":
      return { do: kind, list, plugin: random.below(scene.lists[list]?.length ?? 1) };
    case "uninstall":
      return simulation.machine.missing.size > 0
        ? { do: "install", plugin: [...simulation.machine.missing].join() }
        : { do: "uninstall", plugin: random.of(["portmap", "macvlan", "tuning", "bridge"]) };
    case "reboot":
      return { do: kind };
    default:
      return kind satisfies never;
  }
}

/** Nobody repairs what a plain plugin leaves, and its DEL removes any interface of the name: it has no faults, and no second ADD. */
function plainVerb({ lives }: Simulation, of: string): VerbEvent {
  return { do: (lives.get(of)?.phase ?? "none") === "none" ? "ADD" : "DEL", of };
}

function nextVerb(random: Random, scene: Scene, simulation: Simulation, wanted: string): Event {
  const { lives, machine } = simulation;
  const rival = scene.clashes?.[wanted];
  const isAlone = rival !== undefined && !isAttached(simulation, rival);
  if (isAlone && lives.get(wanted)?.phase === "tried") return { do: "DEL", of: wanted };
  const key = isAlone ? rival : wanted;
  const life = lives.get(key);
  const faulty = (verb: VerbEvent): VerbEvent =>
    random.once(2) ? { ...verb, fault: nextFault(random, scene, simulation, verb.of) } : verb;
  if (!life || life.phase === "none") return faulty({ do: "ADD", of: key });
  // What may be in use gets an entry only after its ADD has passed.
  if (!isLive(machine, life)) {
    const verb: VerbEvent = { do: random.once(rival ? 2 : 3) ? "DEL" : "ADD", of: key };
    return verb.do === "ADD" && isOld(machine, life) ? verb : faulty(verb);
  }
  const way = random.below(5);
  if (way < 2) return { do: "CHECK", of: key, loses: random.below(20) };
  if (way < 4) return faulty({ do: "DEL", of: key });
  return isInPlace(machine, life) ? { do: "ADD", of: key } : faulty({ do: "ADD", of: key });
}

function isAttached({ lives, machine }: Simulation, key: string): boolean {
  const life = lives.get(key);
  return life !== undefined && isLive(machine, life) && isInPlace(machine, life);
}

function nextFault(random: Random, scene: Scene, simulation: Simulation, key: string): Fault {
  const kind = random.of(faultKinds.filter((one) => !scene.clashes || one !== "kill the runtime"));
  // A plugin has fewer points than its wrapper.
  const at = random.below(kind.endsWith("the plugin") ? 20 : random.of([20, 60, 150]));
  if (kind !== "go on" && !random.once(4)) return { at, do: kind };
  return {
    at,
    do: kind,
    first: meanwhile(random, scene, simulation, key, kind === "kill the runtime"),
  };
}

/** What happens in the middle of a call. Its own runtime may have been killed, and the next one begins. */
function meanwhile(random: Random, scene: Scene, simulation: Simulation, key: string, isKilled: boolean): Event {
  const [container = "", list = ""] = key.split(" ");
  // Not an ADD: nothing can hold a plugin that is still running, and it acts on the next one's interface and lease.
  if (isKilled && random.once(2)) return { do: "DEL", of: key };
  const isPossible = (one: string) => (scene.clashes ? !one.startsWith(container) && !scene.clashes[one] : one !== key);
  const other = random.of(scene.attachments.filter(isPossible));
  const isPlainOne = isPlain(scene.lists[other.split(" ")[1] ?? ""]);
  switch (random.below(5)) {
    case 0:
      return { do: "GC", list, ...(random.once(2) ? { by: "another" } : {}) };
    case 1:
      // The rules of an interface that goes in the middle of its plugin's DEL stay (plugins#810).
      if (!scene.lists[list]?.some(({ ipMasq }) => ipMasq)) return { do: "lose the namespace", container };
      return isPlainOne ? plainVerb(simulation, other) : { do: "DEL", of: other };
    default:
      return isPlainOne ? plainVerb(simulation, other) : { do: random.of(["ADD", "DEL"]), of: other };
  }
}

/** The lists of a container are attached at once, as go-cni does it, or removed. So may be others'. */
function together(random: Random, scene: Scene, { lives }: Simulation, container: string): Event {
  const verbs = scene.attachments
    .filter((key) => key.startsWith(`${container} `) || random.once(4))
    .filter((key) => !isPlain(scene.lists[key.split(" ")[1] ?? ""]))
    .map((of): VerbEvent => {
      const siblings = [...lives.values()].filter((life) => life.of.container === of.split(" ")[0]);
      return { do: siblings.every(({ phase }) => phase === "none") ? "ADD" : "DEL", of };
    });
  return { do: "together", verbs, turns: Array.from({ length: 12 }, () => random.below(random.of([5, 40, 120]))) };
}
