import { Random } from "../../simulate/random.ts";
import type { Chain } from "./chains.ts";

/** The verbs of an attachment's life, in their order. */
export const verbs = ["ADD", "CHECK", "DEL"] as const;
export type Verb = (typeof verbs)[number];

/** An executable of a call that is killed if it still runs after the delay. */
export interface Kill {
  readonly executable: string;
  readonly milliseconds: number;
}

/** The life of one attachment. A seed decides everything but the kernel's schedule. */
export interface Life {
  readonly number: number;
  readonly chain: Chain;
  readonly kills: Readonly<Partial<Record<Verb, Kill>>>;
  /** Whether the runtime runs DEL after a failed ADD, before it tries again. */
  readonly delFirst: boolean;
}

/** Of a load with kills, one call in so many gets one. */
const callsPerKill = 5;

/** The longest delay is 2 to the power of this. In milliseconds. */
const longestDelay = 9;

/** Returns the same lives for the same seed. Each life has its own seed, so their number changes none of them. */
export function livesOf(chains: readonly Chain[], count: number, seed: number): Life[] {
  return Array.from({ length: count }, (_, number) => lifeOf(chains, number, new Random(seed * 1_000_003 + number)));
}

function lifeOf(chains: readonly Chain[], number: number, random: Random): Life {
  const chain = chains[number % chains.length];
  if (chain === undefined) throw new Error("a load without chains");
  const kills = Object.fromEntries(
    verbs.filter(() => random.once(callsPerKill)).map((verb) => [verb, killOf(chain, random)]),
  );
  return { number, chain, kills, delFirst: random.once(2) };
}

function killOf({ executables }: Chain, random: Random): Kill {
  const executable = random.of(executables);
  return { executable, milliseconds: Math.round(2 ** (random.below(longestDelay * 100) / 100)) };
}
