import { demandEqual, demandError, demandSuccess, type Interface, routesOf } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { NotRun } from "../specification.ts";
import { hintsOf } from "../target.ts";
import type { Trial } from "../trial.ts";

const check = { concerns: "all", since: "0.4.0", section: "2, CHECK" } as const;

/** The rules about CHECK, except for IPAM. */
export const checkCases: readonly ConformanceCase[] = [
  {
    ...check,
    level: "MUST",
    name: "CHECK right after ADD succeeds and prints nothing",
    sentence:
      "The plugin must handle `CHECK` being called immediately after an `ADD`, and therefore should allow a reasonable convergence delay for any asynchronous resources.",
    check: async (trial) => {
      await trial.add();
      const answer = await trial.call("CHECK");
      demandSuccess(answer, "CHECK");
      demandEqual(answer.stdout, "", "stdout");
    },
  },
  {
    ...check,
    level: "MUST",
    name: "CHECK without prevResult fails",
    sentence: "The plugin must consult the `prevResult` to determine the expected interfaces and addresses.",
    check: async (trial) => {
      await trial.add();
      demandError(await trial.call("CHECK", { config: { prevResult: undefined } }), "CHECK");
    },
  },
  {
    ...check,
    concerns: "interface",
    level: "SHOULD",
    name: "CHECK sees that the interface is missing",
    sentence:
      "The plugin should return an error if a resource included in the CNI Result type (interface, address or route) was created by the plugin, and is listed in `prevResult`, but is missing or in an invalid state.",
    check: (trial) => demandSeen(trial, () => trial.loseInterface()),
  },
  {
    ...check,
    concerns: "ipam",
    level: "MUST",
    name: "CHECK compares the addresses with prevResult",
    sentence: "The plugin must consult the `prevResult` to determine the expected interfaces and addresses.",
    check: async (trial) => {
      const result = await trial.add();
      demandSuccess(await trial.call("CHECK"), "CHECK with the result of ADD");
      const ips = result.ips?.map((each) => ({ ...each, address: "10.99.9.9/24" }));
      demandError(await trial.call("CHECK", { config: { prevResult: { ...result, ips } } }), "CHECK");
    },
  },
  {
    ...check,
    concerns: "interface",
    level: "SHOULD",
    name: "CHECK sees that the interface is down",
    sentence:
      "The plugin should return an error if a resource included in the CNI Result type (interface, address or route) was created by the plugin, and is listed in `prevResult`, but is missing or in an invalid state.",
    check: (trial) =>
      demandSeen(trial, ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, "down")),
  },
  {
    ...check,
    concerns: "ipam",
    level: "SHOULD",
    name: "CHECK sees that an address is missing",
    sentence:
      "The plugin should return an error if a resource included in the CNI Result type (interface, address or route) was created by the plugin, and is listed in `prevResult`, but is missing or in an invalid state.",
    check: (trial) =>
      demandSeen(trial, async ({ lab, container, ifName }) => {
        for (const address of await lab.kernel.addresses(container, ifName)) {
          await lab.ip(container, "address", "del", address, "dev", ifName);
        }
      }),
  },
  {
    ...check,
    concerns: "ipam",
    level: "SHOULD",
    name: "CHECK sees that a route is missing",
    sentence:
      "The plugin should return an error if a resource included in the CNI Result type (interface, address or route) was created by the plugin, and is listed in `prevResult`, but is missing or in an invalid state.",
    check: (trial) =>
      demandSeen(trial, async ({ lab, container, prevResult }) => {
        for (const { dst } of routesOf(prevResult)) await lab.ip(container, "route", "del", String(dst));
      }),
  },
  {
    ...check,
    concerns: "chained",
    level: "SHOULD",
    name: "CHECK sees that what ADD made is missing",
    sentence:
      "The plugin should return an error if other resources not tracked in the Result type such as the following are missing or are in an invalid state:",
    check: (trial) => demandSeen(trial, breakIt),
  },
  {
    ...check,
    level: "MUST",
    name: "CHECK accepts a route that a later plugin added",
    sentence:
      "The plugin must allow for a later chained plugin to have modified networking resources, e.g. routes, on `ADD`.",
    check: async (trial) => {
      await trial.add();
      await trial.lab.ip(trial.container, "link", "add", "late0", "type", "veth", "peer", "name", "late1");
      await trial.lab.ip(trial.container, "link", "set", "late0", "up");
      await trial.lab.ip(trial.container, "route", "add", "10.203.0.0/16", "dev", "late0");
      demandSuccess(await trial.call("CHECK"), "CHECK");
    },
  },
  {
    ...check,
    level: "MUST",
    name: "CHECK accepts a MAC that a later plugin changed",
    sentence:
      "The plugin must allow for a later chained plugin to have modified networking resources, e.g. routes, on `ADD`.",
    check: async (trial) => {
      const { lab, container, ifName, target, number } = trial;
      const result = await trial.add();
      if (hintsOf(target, number).hasFixedMac) throw new NotRun("nobody can change the MAC of the interface");
      const mac = "0e:00:00:00:00:07";
      await lab.ip(container, "link", "set", ifName, "address", mac);
      const isOwn = ({ name, sandbox }: Interface) => name === ifName && sandbox === container.netns;
      const interfaces = result.interfaces?.map((each) => (isOwn(each) ? { ...each, mac } : each));
      demandSuccess(await trial.call("CHECK", { config: { prevResult: { ...result, interfaces } } }), "CHECK");
    },
  },
];

async function breakIt(trial: Trial): Promise<void> {
  if (!(await trial.runHint("break"))) throw new NotRun('the configuration has no "conformance": { "break": COMMAND }');
}

/** CHECK must pass before the fault, so that it fails because of it. */
async function demandSeen(trial: Trial, fault: (trial: Trial) => unknown): Promise<void> {
  await trial.add();
  demandSuccess(await trial.call("CHECK"), "CHECK before the fault");
  await fault(trial);
  demandError(await trial.call("CHECK"), "CHECK");
}
