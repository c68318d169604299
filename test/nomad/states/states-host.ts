import { jobOf } from "../jobs.ts";
import { NomadLab } from "../nomad-lab.ts";
import { hostAddress, installed, installScripts, type Own, ownOf } from "./host.ts";
import type { State } from "./state.ts";

/** A running allocation, the name of its state, and its network. */
export interface Member {
  readonly id: string;
  readonly state: string;
  readonly network: string;
}

interface Kind {
  readonly state: State;
  readonly own: Own;
}

// 172.16.5.0/24 is the network of other tests' hosts.
const firstNumber = 11;

/** A host with Nomad, on which allocations run in several states. */
export class StatesHost implements AsyncDisposable {
  readonly nomad: NomadLab;
  readonly #kinds: readonly Kind[];
  #members: readonly Member[] = [];

  private constructor(nomad: NomadLab, kinds: readonly Kind[]) {
    this.nomad = nomad;
    this.#kinds = kinds;
  }

  static async start(states: readonly State[]): Promise<StatesHost> {
    const kinds = states.map((state, index) => ({ state, own: ownOf(index + firstNumber) }));
    const nomad = await NomadLab.start({
      networks: kinds.flatMap(({ state, own }) => state.list?.(own) ?? []),
      patience: 400,
      prepare: async (lab) => {
        await installScripts(lab);
        const addresses = kinds.map((_, index) => `address add ${hostAddress(index + firstNumber)} dev uplink1`);
        await lab.run("ip", ["-batch", "-"], { input: addresses.join("\n") });
      },
    });
    return new StatesHost(nomad, kinds);
  }

  /** Starts so many allocations of each state, before anything changes. */
  async run(count: number): Promise<readonly Member[]> {
    const job = { ...jobOf({ network: "" }), TaskGroups: this.#kinds.map((kind) => groupOf(kind, count)) };
    await this.nomad.run(job);
    this.#members = (await this.nomad.allocations(job.ID)).map(({ ID: id, TaskGroup: network }) => {
      return { id, network, state: this.#kinds.find(({ own }) => own.network === network)?.state.name ?? "" };
    });
    return this.#members;
  }

  /** Changes lists and host as an operator does. The tasks go on. */
  async change(): Promise<void> {
    const { lab } = this.nomad;
    for (const { state, own } of this.#kinds) {
      if (state.now) await lab.writeFile(installed(own), JSON.stringify(state.now(own)));
      const ids = this.#members.filter(({ network }) => network === own.network).map(({ id }) => id);
      await state.change?.({ lab, own, ids });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.nomad[Symbol.asyncDispose]();
  }
}

function groupOf({ state, own }: Kind, count: number) {
  const network = state.list ? `cni/${own.network}` : "bridge";
  const ports = state.isPublished ? { web: 0 } : {};
  const [group] = jobOf({ network, count, ports, isLean: true }).TaskGroups;
  if (!group) throw new Error("the job has no group");
  return { ...group, Name: own.network };
}
