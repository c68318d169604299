import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  cards,
  exampleDirectory as directory,
  type Example,
  exampleHost,
  examples,
  listOf,
} from "../support/examples.ts";
import type { Lab } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import { isPossible } from "../support/needs.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectPassed } from "./calls.ts";

/** Examples that another suite runs: this one needs a DHCP server. */
const runElsewhere = { "macvlan-bridge-dhcp": "../runtimes/dhcp.test.ts" };

test("every example is run, described, and its wrappers exist", () => {
  const files = readdirSync(directory).filter((name) => name.endsWith(".conflist"));
  const run = [...Object.keys(examples), ...Object.keys(runElsewhere)];
  expect(files.sort()).toEqual(run.map((name) => `${name}.conflist`).sort());
  for (const [name, suite] of Object.entries(runElsewhere)) {
    expect(readFileSync(path.join(import.meta.dirname, suite), "utf8")).toContain(`conf-examples/${name}.conflist`);
  }
  const page = readFileSync(path.join(directory, "README.md"), "utf8");
  const described = [...page.matchAll(/^## (\S+\.conflist)$/gm)].map(([, name]) => name);
  expect(described.sort()).toEqual(files.sort());
});

describe.each(Object.entries(examples))("%s.conflist", (name, example) => {
  const list = listOf(name);

  test.runIf(isPossible(example))(
    "gives what its page says, CHECK misses each interface, and nothing is left",
    async () => {
      await using lab = await exampleHost();
      const [container, other] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
      expectPassed(await lab.goCni.add(list, container, example.options));
      for (const [ifName, addresses] of Object.entries(example.addresses)) {
        expect(await lab.kernel.addresses(container, ifName)).toEqual(addresses);
      }
      expect((await lab.kernel.linkNames(container)).sort()).toEqual(
        ["lo", ...Object.keys(example.addresses), ...(example.made ?? [])].sort(),
      );
      const { alone } = example;
      const otherOptions = { ...example.options, ports: [] };
      if (!alone) expectPassed(await lab.goCni.add(list, other, otherOptions));
      expectPassed(await lab.goCni.check(list, container, example.options));
      if (!alone) expectPassed(await lab.goCni.check(list, other, otherOptions));
      expectPassed(await lab.goCni.del(list, container, example.options));
      if (!alone) expectPassed(await lab.goCni.del(list, other, otherOptions));
      for (const ifName of Object.keys(example.addresses)) {
        const one = await attached(lab, lab.goCni, list, `without-${ifName}`, example.options);
        // A card of the host must not be deleted.
        for (const change of [["down"], ["name", "lost0"]]) await lab.ip(one, "link", "set", ifName, ...change);
        expectFailure(
          await lab.goCni.check(list, one, example.options),
          new RegExp(`\\b${ifName}\\b.* not found|find container link ${ifName}$|${example.lostRoute}`),
        );
        await lab.ip(one, "link", "set", "lost0", "name", ifName);
        expectPassed(await lab.goCni.del(list, one, example.options));
      }
      await expectNothingOfContainers(lab, list, example);
    },
  );
});

/** firewall and portmap keep chains for all containers. Only the rules that name a container must be gone. */
async function expectNothingOfContainers(lab: Lab, list: NetworkList, { bridges }: Example): Promise<void> {
  const links = await lab.kernel.linkNames();
  expect(links.sort()).toEqual(
    ["lo", "uplink1", "ens18", ...cards, ...cards.map((card) => `far-${card}`), ...bridges].sort(),
  );
  expect(await lab.kernel.leases()).toEqual([]);
  expect(await lab.kernel.cachedResults()).toEqual([]);
  expect(await lab.kernel.journals()).toEqual([]);
  expect(await lab.readdir(`/run/cni/${list.name}`)).not.toContainEqual(expect.stringMatching(/^\d+\./));
  expect(await lab.readdir(`/run/cni/${list.name}-eth1`)).not.toContainEqual(expect.stringMatching(/^\d+\./));
  expect(await rulesOfContainers(lab)).toEqual([]);
}
