import type { PluginVersion } from "../../support/go.ts";
import { type Container, Lab } from "../../support/lab.ts";
import { leftovers } from "../../support/leftovers.ts";
import { must } from "../../support/must.ts";
import { follow, type Step, type StepResult } from "./course.ts";
import type { Chain } from "./places.ts";

/** Takes a container through every verb, with a runtime that does nothing else. */
export async function followVerbs(
  plugins: PluginVersion,
  runtime: "goCni" | "cnitool",
  chain: Chain,
): Promise<StepResult[]> {
  await using lab = await Lab.start({ plugins });
  const container = await lab.addContainer("c1");
  const { list } = chain;
  const steps: Step[] = [
    { name: "ADD", run: () => add(lab, runtime, container, chain) },
    { name: "CHECK", needs: "ADD", run: async () => void must(await lab[runtime].check(list, container)) },
    { name: "fault seen", needs: "CHECK", run: () => seeFault(lab, runtime, container, chain) },
    { name: "DEL", needs: "ADD", run: async () => void must(await lab[runtime].del(list, container)) },
    { name: "nothing left", needs: "DEL", run: () => nothingLeft(lab, chain, container) },
  ];
  return await follow(steps);
}

async function add(lab: Lab, runtime: "goCni" | "cnitool", container: Container, { list, interfaces }: Chain) {
  must(await lab[runtime].add(list, container));
  const names = (await lab.kernel.linkNames(container)).filter((name) => name !== "lo");
  if (names.sort().join() !== interfaces.join()) throw new Error(`ADD passed, and the container has ${names}`);
}

/** Removes an address. CHECK must report it. */
async function seeFault(lab: Lab, runtime: "goCni" | "cnitool", container: Container, { list, fault }: Chain) {
  await lab.ip(container, "address", "delete", fault.address, "dev", fault.ifName);
  const { exitCode, stderr } = await lab[runtime].check(list, container);
  if (exitCode === 0) throw new Error("CHECK passed without the address");
  const reason = missing(fault);
  if (!stderr.includes(reason)) throw new Error(`CHECK failed, but not for the address: ${stderr}`);
}

/** The reference plugins' message about a missing address (pkg/ip/utils_linux.go, ValidateExpectedInterfaceIPs). */
export function missing({ ifName, address }: Chain["fault"]): string {
  return `Failed to match addr ${address} on interface ${ifName}`;
}

async function nothingLeft(lab: Lab, { staying }: Chain, container: Container) {
  const links = (await lab.kernel.linkNames(container)).filter((name) => name !== "lo");
  const left = [...(await leftovers(lab, staying)), ...links.map((name) => `interface ${name}`)];
  if (left.length > 0) throw new Error(`left: ${left.join(", ")}`);
}
