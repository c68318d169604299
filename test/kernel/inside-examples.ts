import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { cards, type Example, exampleHost, examples, listOf } from "../support/examples.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import { must } from "../support/must.ts";
import { sharedFolder } from "./second-kernel.ts";

type Addresses = Record<string, string[]>;

/** Attaches a container of an example, and leaves it attached on the shared disk. Returns the problems. */
export async function attachExample(name: string): Promise<string[]> {
  const disk = `${sharedFolder}/${name}`;
  mkdirSync(disk, { recursive: true });
  await using lab = await exampleHost(disk);
  const { options } = exampleOf(name);
  const container = await lab.addContainer("c1");
  must(await lab.goCni.add(listOf(name), container, options), "ADD");
  writeFileSync(
    `${disk}/before.json`,
    JSON.stringify({ boot: bootId(), addresses: await lab.kernel.allAddresses(container) }),
  );
  return [];
}

/** Attaches it again after a reboot: the same addresses, CHECK sees a fault, DEL leaves nothing. Returns the problems. */
export async function exampleComesBack(name: string): Promise<string[]> {
  const disk = `${sharedFolder}/${name}`;
  const before: { boot: string; addresses: Addresses } = JSON.parse(readFileSync(`${disk}/before.json`, "utf8"));
  await using lab = await exampleHost(disk);
  const { options, addresses, bridges } = exampleOf(name);
  const list = listOf(name);
  if (before.boot === bootId()) throw new Error("this is the same boot");
  const kept = { result: await lab.kernel.cachedResults(), record: await lab.kernel.journals() };
  const problems = Object.entries(kept).flatMap(([kind, files]) => (files.length > 0 ? [] : [`no ${kind} is left`]));
  const container = await lab.addContainer("c1");
  must(await lab.goCni.add(list, container, options), "ADD");
  const after = await lab.kernel.allAddresses(container);
  if (!isDeepStrictEqual(after, before.addresses)) {
    problems.push(`${JSON.stringify(after)} instead of ${JSON.stringify(before.addresses)}`);
  }
  must(await lab.goCni.check(list, container, options), "CHECK");
  // The twin of that CHECK.
  const ifName = Object.keys(addresses).at(-1) ?? "";
  const lost = after[ifName]?.[0] ?? "";
  await lab.ip(container, "address", "del", lost, "dev", ifName);
  const { exitCode } = await lab.goCni.check(list, container, options);
  if (exitCode === 0) problems.push(`CHECK does not see that ${lost} is gone`);
  // DEL removes the masquerading rules of the addresses that it finds.
  await lab.ip(container, "address", "add", lost, "dev", ifName);
  must(await lab.goCni.del(list, container, options), "DEL");
  const left = await leftOfContainers(lab, linksOf(bridges));
  return [...problems, ...left.map((each) => `left after DEL: ${each}`)];
}

function exampleOf(name: string): Example {
  const example = examples[name];
  if (example === undefined) throw new Error(`no example ${name}`);
  return example;
}

function linksOf(bridges: readonly string[]): string[] {
  return ["ens18", ...cards, ...cards.map((card) => `far-${card}`), ...bridges];
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
}
