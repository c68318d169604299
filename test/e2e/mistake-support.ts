import { expect } from "vitest";
import { Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { bridge, macvlan, portmap, published, wrapped, zone } from "./support.ts";

/** One mistake of an operator on a host with a running container, and what a command must tell before anything is restarted. */
export interface Mistake {
  readonly name: string;
  /** The container's list, if it is not `good`. */
  readonly start?: NetworkList;
  /** What is on the host before, and is right. */
  readonly before?: string;
  /** The list that takes the place of the container's. */
  readonly list?: NetworkList;
  /** What is done on the host, in a shell. */
  readonly make?: string;
  /** The command lines that tell it, and their exit codes. */
  readonly told: Readonly<Record<string, number>>;
  /** What runs the wrong command line. */
  readonly through?: string;
  /** The right command line, if the mistake is in the other one. */
  readonly right?: string;
  /** What an operator must read, in any order. A right host's output has not all of it. */
  readonly says: readonly string[];
  /** A part of the error of the next container's ADD. */
  readonly fails?: string;
}

export const good = zone("1.0.0", wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(portmap, "eth1"));

/** The rows of a table, one for each command line that tells a mistake. */
export function rowsOf(mistakes: readonly Mistake[]): readonly (readonly [string, string, Mistake])[] {
  return mistakes.flatMap((mistake) => Object.keys(mistake.told).map((line) => [mistake.name, line, mistake] as const));
}

/** Makes a mistake for real: a command line was content before, and tells it then. */
export async function expectTold(mistake: Mistake, line: string): Promise<void> {
  const { start = good, before: prepare, list, make, right, says, through, fails } = mistake;
  await using lab = await Lab.start();
  const write = (text: NetworkList) => lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(text));
  await lab.run("mkdir", ["-p", "/opt/cni/config"]);
  if (prepare) await lab.run("sh", ["-c", prepare]);
  const added = await lab.goCni.add(start, await lab.addContainer("c1"), published(8080));
  expect(added.exitCode, added.stderr).toBe(0);
  await write(start);
  const run = async (words: string, by = "") => {
    const { exitCode, stdout, stderr } = await lab.call("sh", ["-c", `${by} /opt/cni/bin/cni-wrappers ${words}`]);
    return { exitCode, text: `${stdout}\n${stderr}` };
  };
  const before = await run(right ?? line);
  const isSaid = says.every((words) => before.text.includes(words));
  expect({ exitCode: before.exitCode, isSaid }, before.text).toEqual({ exitCode: 0, isSaid: false });

  if (list) await write(list);
  if (make) await lab.run("sh", ["-c", make]);
  const { exitCode, text } = await run(line, through);
  const unsaid = says.filter((words) => !text.includes(words));
  expect({ exitCode, unsaid }, text).toEqual({ exitCode: mistake.told[line], unsaid: [] });
  if (fails === undefined) return;
  const next = await lab.goCni.add(list ?? start, await lab.addContainer("c2"), published(8081));
  expect({ exitCode: next.exitCode, error: next.stderr }).toEqual({
    exitCode: 1,
    error: expect.stringContaining(fails),
  });
}
