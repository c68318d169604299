import type { Event } from "./event.ts";
import { type Lists, removed } from "./lists.ts";
import { Broken, type Log } from "./log.ts";
import type { Sabotage } from "./process.ts";
import { Random } from "./random.ts";
import { nextEvent, sceneOf } from "./schedule.ts";
import { Simulation } from "./simulation.ts";

type Options = ConstructorParameters<typeof Simulation>[1];

/** A schedule that ran: what happened, and the broken promise if there is one. */
export interface Ran {
  readonly lists: Lists;
  readonly events: readonly Event[];
  readonly log: Log;
  readonly broken: Broken | undefined;
}

/** Runs the schedule of a seed. The seed decides all of it. */
export function runSeed(seed: number, hasSiblings: boolean, sabotage: Sabotage = {}): Ran {
  const random = new Random(seed);
  const scene = sceneOf(random, hasSiblings);
  const simulation = new Simulation(scene.lists, { sabotage, forgives: !hasSiblings });
  const events: Event[] = [];
  const broken = brokenBy(() => {
    for (let step = 0; step < 20; step++) {
      const event = nextEvent(random, scene, simulation);
      events.push(event);
      simulation.apply(event);
    }
    simulation.finish();
  });
  return { lists: scene.lists, events, log: simulation.log, broken };
}

/** Runs some events. */
export function runEvents(lists: Lists, events: readonly Event[], options: Options = {}): Ran {
  const simulation = new Simulation(lists, options);
  const broken = brokenBy(() => {
    for (const event of events) simulation.apply(event);
    simulation.finish();
  });
  return { lists, events, log: simulation.log, broken };
}

function brokenBy(run: () => void): Broken | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof Broken) return error;
    throw error;
  }
  return undefined;
}

/** Makes a schedule shorter as long as it breaks the same promise. */
export function shortest(ran: Ran, options: Options = {}): Ran {
  for (const { lists, events } of shorterThan(ran)) {
    const other = runEvents(lists, events, options);
    if (other.broken?.promise === ran.broken?.promise) return shortest(other, options);
  }
  return ran;
}

/** Returns schedules without one event, one fault or one plugin. */
function* shorterThan({ lists, events }: Ran): Generator<Pick<Ran, "lists" | "events">> {
  for (const index of [...events.keys()].reverse())
    yield { lists, events: events.filter((_, other) => other !== index) };
  for (const [index, event] of events.entries()) {
    for (const simpler of simplerThan(event)) yield { lists, events: events.with(index, simpler) };
  }
  for (const [name, list] of Object.entries(lists)) {
    for (const index of list.keys()) {
      if (list.length > 1) yield { lists: { ...lists, [name]: removed(list, index) }, events };
    }
  }
}

function simplerThan(event: Event): Event[] {
  if (event.do === "together")
    return event.verbs.map((_, index) => ({ ...event, verbs: event.verbs.toSpliced(index, 1) }));
  if (event.do !== "ADD" && event.do !== "DEL") return [];
  const { fault, ...plain } = event;
  if (!fault) return [];
  const { first, ...alone } = fault;
  return [plain, ...(first ? [{ ...plain, fault: alone }] : [])];
}

/** Returns a schedule as text: the lists in it, and what happened. */
export function traceOf({ lists, broken, log }: Ran): string {
  const history = broken ? broken.message : log.history.join("\n");
  const used = Object.entries(lists).filter(([name]) => history.includes(` ${name}`));
  const plugins = used.map(([name, list]) => `${name}:\n${list.map((one) => `  ${JSON.stringify(one)}`).join("\n")}`);
  return [...plugins, history].join("\n");
}
