import type { Lab } from "../support/lab.ts";

/** What the container c1 loses: the command that takes it away, CHECK's message, and a command before ADD. */
export type Losses = Readonly<Record<string, readonly [takeAway: string, message: string | RegExp, before?: string]>>;

/** The losses as rows of a table. */
export function rowsOf(losses: Losses) {
  return Object.entries(losses).map(([loses, [takeAway, message, before = ""]]) => ({
    ...{ loses, takeAway, message, before },
  }));
}

/** Takes something away from the container c1. VETH is the host's end of its eth1. */
export async function take(lab: Lab, command: string): Promise<void> {
  const c1 = { name: "c1", netns: "/run/netns/c1" };
  const veth = command.includes("VETH") ? await lab.kernel.hostVeth(c1, "eth1") : "";
  await lab.run("sh", ["-c", command.replace("VETH", veth)]);
}
