import { isDeepStrictEqual } from "node:util";
import { none } from "./fault.ts";
import type { Life } from "./life.ts";
import type { Log } from "./log.ts";
import type { Machine } from "./machine.ts";
import type { Random } from "./random.ts";
import type { Runtime } from "./runtime.ts";
import { leasesOf, linksOf } from "./traces.ts";

/** What must hold of an attachment that is complete. */
export class Attached {
  readonly #machine: Machine;
  readonly #runtime: Runtime;
  readonly #random: Random;
  readonly #log: Log;

  constructor(machine: Machine, runtime: Runtime, random: Random, log: Log) {
    this.#machine = machine;
    this.#runtime = runtime;
    this.#random = random;
    this.#log = log;
  }

  /** An attachment is complete: it has the addresses of its leases, and after a reboot the `former` ones. */
  attached(life: Life, former: Life["addresses"]): void {
    const links = linksOf(this.#machine, life.container);
    const leases = leasesOf(this.#machine, life.container);
    this.#log.expect(
      isDeepStrictEqual(links, leases),
      `leases ${JSON.stringify(leases)}, links ${JSON.stringify(links)}`,
    );
    const names = life.container.links.join();
    this.#log.expect(Object.keys(links).sort().join() === names, `links: ${Object.keys(links)}`);
    const isKept = former === undefined || isDeepStrictEqual(links, former);
    this.#log.expect(isKept, `after a reboot it has ${JSON.stringify(links)} in place of ${JSON.stringify(former)}`);
    life.addresses = links;
    this.check(life);
  }

  /** CHECK passes, and its twin sees a lost address. */
  check(life: Life): void {
    const { container } = life;
    const check = () => this.#runtime.check(container, none.between);
    const problem = this.#log.try("CHECK", container.id, check);
    this.#log.expect(problem === undefined, `CHECK must pass: ${problem}`);
    this.#log.expect(isDeepStrictEqual(linksOf(this.#machine, container), life.addresses), "it lost its addresses");
    const links = this.#machine.namespaces.get(container.netns)?.links;
    const name = this.#random.of(container.links);
    const link = links?.get(name);
    if (!links || !link) return;
    links.set(name, { ...link, addresses: [] });
    const seen = this.#log.try("CHECK of a lost address", container.id, check);
    this.#log.expect(seen !== undefined, `CHECK must see that ${name} lost its address`);
    links.set(name, link);
  }
}
