import { type Container, Lab, type Outcome } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import { type State, settledDifference, stateOf } from "../faults/state.ts";
import { type Chain, portsOf } from "./chains.ts";
import { type Change, installShims } from "./shims.ts";

/** The settings of a host under load. */
export interface HostOptions {
  readonly chains: readonly Chain[];
  /** The address space of a wrapper. In KiB. */
  readonly limit: number;
  readonly change?: Change | undefined;
}

/** A container of a chain that stays attached during the load. */
interface Neighbour {
  readonly chain: Chain;
  readonly number: number;
  readonly container: Container;
}

/** Neighbours have ports after those of all other containers. */
const firstNeighbour = 50_000;

/** A host on which one neighbour of each chain stays attached. */
export class LoadHost implements AsyncDisposable {
  readonly lab: Lab;
  readonly #neighbours: readonly Neighbour[];
  #before: State = [];

  private constructor(lab: Lab, neighbours: readonly Neighbour[]) {
    this.lab = lab;
    this.#neighbours = neighbours;
  }

  /** Makes the host, and attaches the neighbours. */
  static async start({ chains, limit, change }: HostOptions): Promise<LoadHost> {
    // Its own /tmp and /dev/shm show temporary files.
    const lab = await Lab.start({ forRuntimes: true });
    const neighbours = await Promise.all(
      chains.map(async (chain, index) => ({
        chain,
        number: firstNeighbour + index,
        container: await lab.addContainer(`neighbour-${chain.list.name}`),
      })),
    );
    const host = new LoadHost(lab, neighbours);
    await installShims(lab, limit);
    for (const neighbour of neighbours) must(await host.#call("add", neighbour), "ADD of a neighbour");
    // A changed executable may also harm a neighbour's ADD. The load is there to notice what it does later.
    if (change) await installShims(lab, limit, change);
    host.#before = await host.#state();
    return host;
  }

  /** Everything that differs from the state before the load, and the neighbours whose CHECK fails. */
  async leftovers(): Promise<string[]> {
    const left = await settledDifference(this.#before, () => this.#state());
    for (const neighbour of this.#neighbours) {
      const { exitCode, stderr } = await this.#call("check", neighbour);
      if (exitCode !== 0) left.push(`CHECK of ${neighbour.container.name}: ${stderr}`);
    }
    return left;
  }

  #state(): Promise<State> {
    return stateOf(this.lab, ...this.#neighbours.map(({ container }) => container));
  }

  #call(verb: "add" | "check", { chain, number, container }: Neighbour): Promise<Outcome> {
    return this.lab.goCni[verb](chain.list, container, portsOf(chain, number));
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.lab[Symbol.asyncDispose]();
  }
}
