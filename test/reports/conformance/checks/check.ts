import { demandEqual, demandError, demandSuccess, type Interface } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import type { Trial } from "../trial.ts";

const check = { concerns: "all", since: "0.4.0", section: "2, CHECK" } as const;

/** The rules about CHECK, except for IPAM. */
export const checkCases: readonly ConformanceCase[] = [
  {
    ...check,
    level: "MUST",
    name: "CHECK right after ADD succeeds and prints nothing",
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
    check: (trial) => demandSeen(trial, () => trial.loseInterface()),
  },
  {
    ...check,
    concerns: "ipam",
    level: "MUST",
    name: "CHECK compares the addresses with prevResult",
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
    check: (trial) =>
      demandSeen(trial, ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, "down")),
  },
  {
    ...check,
    concerns: "ipam",
    level: "SHOULD",
    name: "CHECK sees that an address is missing",
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
    check: (trial) =>
      demandSeen(trial, async ({ lab, container, prevResult }) => {
        for (const { dst } of prevResult?.routes ?? []) await lab.ip(container, "route", "del", String(dst));
      }),
  },
  {
    ...check,
    concerns: "chained",
    level: "SHOULD",
    name: "CHECK sees that what ADD made is missing",
    check: (trial) => demandSeen(trial, (each) => each.target.breakIt?.(each)),
  },
  {
    ...check,
    level: "MUST",
    name: "CHECK accepts a route that a later plugin added",
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
    check: async (trial) => {
      const { lab, container, ifName, target } = trial;
      const result = await trial.add();
      if (target.hasFixedMac) return;
      const mac = "0e:00:00:00:00:07";
      await lab.ip(container, "link", "set", ifName, "address", mac);
      const isOwn = ({ name, sandbox }: Interface) => name === ifName && sandbox === container.netns;
      const interfaces = result.interfaces?.map((each) => (isOwn(each) ? { ...each, mac } : each));
      demandSuccess(await trial.call("CHECK", { config: { prevResult: { ...result, interfaces } } }), "CHECK");
    },
  },
];

/** CHECK must pass before the fault, so that it fails because of it. */
async function demandSeen(trial: Trial, fault: (trial: Trial) => unknown): Promise<void> {
  await trial.add();
  demandSuccess(await trial.call("CHECK"), "CHECK before the fault");
  await fault(trial);
  demandError(await trial.call("CHECK"), "CHECK");
}
