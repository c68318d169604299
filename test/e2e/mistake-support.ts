import { expect, test } from "vitest";
import { Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { bridge, macvlan, portmap, published, wrapped, zone } from "./support.ts";

/** One mistake of an operator on a host with a running container, and what a command must tell before anything is restarted. */
export interface Mistake {
  /** The container's list, if it is not `good`. */
  readonly start?: NetworkList;
  /** What is on the host before, and is right. */
  readonly before?: string;
  /** The list that takes the place of the container's. */
  readonly list?: NetworkList;
  /** What is done on the host, in a shell. */
  readonly make?: string;
  /** The command lines that tell it, and their exit codes; preflight with 1 if nothing is said. */
  readonly told?: Readonly<Record<string, number>>;
  /** What runs the wrong command line. */
  readonly through?: string;
  /** The right command line, if the mistake is in the other one. */
  readonly right?: string;
  /** What an operator must read, in any order. A right host's output has not all of it. */
  readonly says: readonly string[];
  /** A part of the error of the next container's ADD. */
  readonly fails?: string;
}

export const withBridge = (own: Record<string, unknown>) =>
  zone(wrapped(macvlan), { ...wrapped(bridge, "eth1"), ...own }, wrapped(portmap, "eth1"));

export const good = withBridge({});

/** Makes each mistake for real: the command lines were content before, and tell it then. */
export function testMistakes(mistakes: Readonly<Record<string, Mistake>>): void {
  test.each(Object.entries(mistakes))("%s: it is told, and was not before", (_, mistake) => expectTold(mistake));
}

async function expectTold(mistake: Mistake): Promise<void> {
  const { start = good, before, list, make, right, told = { preflight: 1 }, says, through, fails } = mistake;
  await using lab = await Lab.start();
  const write = (text: NetworkList) => lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(text));
  if (before) await lab.run("sh", ["-c", before]);
  const added = await lab.goCni.add(start, await lab.addContainer("c1"), published(8080));
  expect(added.exitCode, added.stderr).toBe(0);
  await write(start);
  const run = async (words: string, by = "") => {
    const { exitCode, stdout, stderr } = await lab.call("sh", ["-c", `${by} ${Lab.command} ${words}`]);
    const text = `${stdout}\n${stderr}`;
    return { exitCode, text, unsaid: says.filter((part) => !text.includes(part)) };
  };
  for (const line of right ? [right] : Object.keys(told)) {
    const { exitCode, text, unsaid } = await run(line);
    expect({ line, exitCode, isSaid: unsaid.length === 0 }, text).toEqual({ line, exitCode: 0, isSaid: false });
  }
  if (list) await write(list);
  if (make) await lab.run("sh", ["-c", make]);
  for (const [line, ends] of Object.entries(told)) {
    const { exitCode, text, unsaid } = await run(line, through);
    expect({ line, exitCode, unsaid }, text).toEqual({ line, exitCode: ends, unsaid: [] });
  }
  if (fails === undefined) return;
  const next = await lab.goCni.add(list ?? start, await lab.addContainer("c2"), published(8081));
  expect({ exitCode: next.exitCode, error: next.stderr }).toEqual({
    exitCode: 1,
    error: expect.stringContaining(fails),
  });
}
