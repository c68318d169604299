import { performance } from "node:perf_hooks";
import { bridge, firewall, wrapped } from "../../e2e/support.ts";
import { type Container, Lab } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import { say } from "../../support/progress.ts";
import type { NetworkList } from "../../support/runtime.ts";
import type { Stage } from "./peers.ts";
import type { OthersRow } from "./report.ts";
import { spreadOf } from "./statistics.ts";

const others = 3000;
const verbs = ["ADD", "CHECK", "DEL"] as const;

type Verb = (typeof verbs)[number];

/** The milliseconds of each round. */
type Times = Record<Verb, number[]>;

/** Times ADD, CHECK and DEL of bridge and firewall, on a host with many other attachments and on one without. */
export async function timeOthers({ peers }: Stage, runs: number): Promise<readonly OthersRow[]> {
  const rows: OthersRow[] = [];
  for (const { name, kind, file } of peers) {
    if (file === undefined || name === "slim, musl") continue;
    await using empty = await Host.start(kind === "slim" ? file : undefined);
    await using full = await Host.start(kind === "slim" ? file : undefined);
    await full.addOthers();
    const hosts = [empty, full] as const;
    // The first round is not counted.
    for (let round = -1; round < runs; round++) for (const host of hosts) await host.round(round);
    rows.push(...verbs.map((verb) => rowOf(name, verb, hosts)));
    say(`${others} other attachments, ${name}: ${runs} runs`);
  }
  return rows;
}

function rowOf(flavor: string, verb: Verb, [empty, full]: readonly [Host, Host]): OthersRow {
  const medianOf = ({ times }: Host, list: keyof Host["times"]) => spreadOf(times[list][verb]).median;
  const plainMs = medianOf(empty, "plain");
  const moreOf = (list: keyof Host["times"]) => (medianOf(full, list) - medianOf(empty, list)) / plainMs;
  return { flavor, verb, others, plainMs, plain: moreOf("plain"), wrapped: moreOf("wrapped") };
}

/** A host on which both lists are attached again and again. */
class Host implements AsyncDisposable {
  readonly times = { plain: noTimes(), wrapped: noTimes() };
  readonly lab: Lab;
  readonly #options: { readonly pluginPath: string };
  readonly #lists: Readonly<Record<"plain" | "wrapped", NetworkList>>;

  private constructor(lab: Lab, pluginPath: string) {
    this.lab = lab;
    this.#options = { pluginPath };
    const list = (name: string, ...plugins: object[]) => ({ cniVersion: "1.0.0", name, plugins }) as NetworkList;
    this.#lists = {
      plain: list("plain", { ...bridge, bridge: "plain0" }, firewall),
      wrapped: list("wrapped", wrapped(bridge), wrapped(firewall)),
    };
  }

  static async start(slim: string | undefined): Promise<Host> {
    const lab = await Lab.start({ ...(slim && { programs: { slim } }) });
    if (slim === undefined) return new Host(lab, Lab.pluginPath);
    const links = ["bridge", "firewall"].map((name) => `ln -s /run/lab/programs/slim /opt/cni/slim/${name}-wrapper`);
    await lab.run("sh", ["-ec", ["mkdir /opt/cni/slim", ...links].join("\n")]);
    return new Host(lab, `/opt/cni/slim:${Lab.pluginPath}`);
  }

  /** Attaches one container with each list, and copies what that left on the disk for many more. */
  async addOthers(): Promise<void> {
    for (const list of Object.values(this.#lists)) {
      const seed = await this.lab.addContainer("seed");
      must(await this.lab.goCni.add(list, seed, this.#options));
      await this.lab.deleteNamespace(seed);
    }
    await this.lab.run("sh", ["-ec", copies]);
  }

  async round(number: number): Promise<void> {
    const container = await this.lab.addContainer(`c${number + 1}`);
    for (const name of ["plain", "wrapped"] as const) {
      for (const verb of verbs) {
        const took = await this.#timed(verb, this.#lists[name], container);
        if (number >= 0) this.times[name][verb].push(took);
      }
    }
    await this.lab.deleteNamespace(container);
  }

  async #timed(verb: Verb, list: NetworkList, container: Container): Promise<number> {
    const start = performance.now();
    const outcome = await this.lab.goCni[verb.toLowerCase() as Lowercase<Verb>](list, container, this.#options);
    const took = performance.now() - start;
    must(outcome);
    return took;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.lab[Symbol.asyncDispose]();
  }
}

/** What the seed left in the wrappers', libcni's and host-local's directories, under other ids and addresses. */
const copies = `
cd /var/lib/cni
number=1
while [ $number -le ${others} ]; do
  id=other$number
  address=172.26.$((66 + number / 250)).$((number % 250 + 1))
  for list in plain wrapped; do
    for network in networks/$list*; do
      lease=$(ls $network/172* | head -n 1)
      sed "s/seed/$id/" "$lease" >$network/$address
    done
    for result in results/$list-seed-*; do
      sed "s/seed/$id/g; s/172.26.64.2/$address/g" "$result" >"$(echo $result | sed "s/seed/$id/")"
    done
  done
  mkdir wrappers/$id
  for journal in wrappers/seed/*; do
    sed "s/seed/$id/g; s/172.26.64.2/$address/g" "$journal" >"wrappers/$id/$(basename $journal)"
  done
  number=$((number + 1))
done`;

function noTimes(): Times {
  return { ADD: [], CHECK: [], DEL: [] };
}
