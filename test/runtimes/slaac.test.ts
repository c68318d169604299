import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { expectFailure, expectPassed } from "../e2e/calls.ts";
import { zone } from "../e2e/support.ts";
import { flavors } from "../support/flavors.ts";
import { Lab } from "../support/lab.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import { Router } from "../support/router.ts";
import { macvlan } from "./support.ts";

const tries = 100;
const atOnce = 4;
const slaac = { wait: "5s", required: true };
const list = zone({ ...macvlan, type: "macvlan-wrapper", wrapper: { slaac } });

for (const { env } of flavors) {
  const { CNI_WRAPPERS_FLAVOR: flavor = "", CNI_WRAPPERS_BIN: wrappers = "" } = env;

  test.skipIf(!existsSync(wrappers))(
    `100 of 100 interfaces have an address from a router within 5 seconds (${flavor} flavor)`,
    async () => {
      await using lab = await Lab.start({ wrappers });
      const router = await Router.make(lab);
      await router.advertise({ prefix: "2001:db8:1::/64" });
      const all: (number | undefined)[] = [];
      for (let round = 0; round < tries / atOnce; round++) {
        const names = Array.from({ length: atOnce }, (_, index) => `c${round}-${index}`);
        all.push(...(await Promise.all(names.map((name) => timeOf(lab, name)))));
      }
      const times = all.filter((time) => time !== undefined).sort((one, other) => one - other);
      const at = (part: number) => `${((times[Math.ceil(times.length * part) - 1] ?? 0) / 1000).toFixed(2)} s`;
      const spread = `shortest ${at(0.01)}, half ${at(0.5)}, nine of ten ${at(0.9)}, longest ${at(1)}`;
      console.log(
        `addresses from a router, ${flavor} flavor: ${times.length} of ${tries} within 5 s; ADD took ${spread}`,
      );
      expect(times).toHaveLength(tries);
      expect(await leftOfContainers(lab)).toEqual([]);
    },
    600_000,
  );
}

/** Attaches a container, and detaches it. Returns the milliseconds of ADD; undefined if no address came in time. */
async function timeOf(lab: Lab, name: string): Promise<number | undefined> {
  const container = await lab.addContainer(name);
  const started = performance.now();
  const outcome = await lab.goCni.add(list, container);
  const time = performance.now() - started;
  if (outcome.exitCode !== 0) {
    expectFailure(outcome, /has no IPv6 address from a router/);
    return undefined;
  }
  expect(JSON.parse(outcome.stdout).raw[0].ips[1].address).toMatch(/^2001:db8:1:/);
  expectPassed(await lab.goCni.check(list, container));
  expectPassed(await lab.goCni.del(list, container));
  await lab.deleteNamespace(container);
  return time;
}
