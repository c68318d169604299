import { isDeepStrictEqual } from "node:util";
import { demandEqual, type Result } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { demand, NotRun } from "../specification.ts";
import { hintsOf } from "../target.ts";
import type { Trial } from "../trial.ts";

const chained = { concerns: "chained", since: "0.3.0", section: "5, ADD Success", level: "MUST" } as const;

const lists = ["interfaces", "ips", "routes"] as const;

/** Keys that version 1.1.0 adds to a result. */
const newKeys = {
  interfaces: { name: "vhost0", mtu: 1400, socketPath: "/run/vhost0.sock", pciID: "0000:00:1f.6" },
  routes: { dst: "10.202.0.0/16", mtu: 1300, advmss: 1200, priority: 77, table: 300, scope: 253 },
};

/** The rules about prevResult on ADD. */
export const chainedCases: readonly ConformanceCase[] = [
  {
    ...chained,
    name: "ADD returns prevResult, with its own changes",
    sentence:
      "Plugins provided a `prevResult` key as part of their request configuration must output it as their result, with any possible modifications made by that plugin included.",
    check: async (trial) => {
      const given = trial.prevResult ?? {};
      demandKept(given, await trial.add());
      demandEqual(trial.prevResult?.dns, given.dns, "dns");
    },
  },
  {
    ...chained,
    name: "ADD without changes returns a result equivalent to prevResult",
    sentence:
      "If a plugin makes no changes that would be reflected in the _Success result_ type, then it must output a result equivalent to the provided `prevResult`.",
    check: async (trial) => {
      if (hintsOf(trial.target, trial.number).changesResult) throw new NotRun("the plugin changes the result");
      const given = trial.prevResult;
      demandEqual(sorted(await trial.add()), sorted(given), "the result");
    },
  },
  {
    ...chained,
    since: "1.1.0",
    name: "ADD keeps the keys of version 1.1.0 in prevResult",
    sentence:
      "Plugins provided a `prevResult` key as part of their request configuration must output it as their result, with any possible modifications made by that plugin included.",
    check: async (trial) => {
      const { interfaces = [], ips = [], routes = [], ...rest } = trial.prevResult ?? {};
      const moved = ips.map((each) => ({ ...each, interface: (each.interface ?? 0) + 1 }));
      const given = {
        ...rest,
        interfaces: [newKeys.interfaces, ...interfaces],
        ips: moved,
        routes: [...routes, newKeys.routes],
      };
      trial.prevResult = given;
      demandKept(given, await trial.add());
    },
  },
  {
    ...chained,
    concerns: "interface",
    since: "1.0.0",
    section: "2, ADD",
    name: "ADD of an interface plugin returns prevResult as well",
    sentence:
      "If the plugin was supplied a `prevResult` as part of its input configuration, it MUST handle `prevResult` by either passing it through, or modifying it appropriately.",
    check: async (trial) => {
      const given = await otherInterface(trial);
      trial.prevResult = given;
      const result = await trial.add();
      const names = result.interfaces?.map(({ name }) => name) ?? [];
      demand(names.includes("eth9"), `the result has the interfaces ${names}`);
      demand(names.includes(trial.ifName), `the result has the interfaces ${names}`);
      const addresses = result.ips?.map(({ address }) => address) ?? [];
      demand(addresses.includes("10.99.9.9/24"), `the result has the addresses ${addresses}`);
    },
  },
];

/** Each entry of the given result is in the new one. Indexes into the interfaces may change. */
function demandKept(given: Result, found: Result): void {
  for (const list of lists) {
    const wanted = named(given, list);
    const missing = wanted.filter((each) => !named(found, list).some((other) => isDeepStrictEqual(each, other)));
    demandEqual(missing, [], `${list} of prevResult that are missing`);
  }
}

/** The entries of a list. An address names its interface instead of the index. */
function named(result: Result, list: (typeof lists)[number]): unknown[] {
  const { interfaces = [] } = result;
  if (list !== "ips") return [...(result[list] ?? [])];
  return (result.ips ?? []).map((each) => ({ ...each, interface: interfaces[each.interface ?? -1]?.name }));
}

/** A result without the order of its keys and without empty parts, which mean the same. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)).toSorted());
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The result of an earlier plugin that made eth9 in the container. */
async function otherInterface({ lab, container, version }: Trial): Promise<Result> {
  await lab.ip(container, "link", "add", "eth9", "type", "veth", "peer", "name", "peer9");
  const { address } = await lab.kernel.link(container, "eth9");
  return {
    cniVersion: version,
    interfaces: [{ name: "eth9", mac: address, sandbox: container.netns }],
    ips: [{ address: "10.99.9.9/24", interface: 0 }],
    routes: [],
    dns: {},
  };
}
