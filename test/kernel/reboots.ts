import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { examples } from "../support/examples.ts";
import { everyNth } from "./cases.ts";
import { boot, readShared, withFolder } from "./second-kernel.ts";

/** The result of a case: its problems, one sentence each. */
export interface Told {
  readonly name: string;
  readonly problems: readonly string[];
}

/** The wrappers' directory, the CPU, and which of `parts` runs its cases. */
export interface Rebooting {
  readonly bin: string;
  readonly part: number;
  readonly parts: number;
  readonly cpu: number | undefined;
}

// 1 is the plugin's first call of the verb. A list's DEL begins with its last plugin.
const moments = [
  "ADD before 1 macvlan",
  "ADD before 1 host-local",
  "ADD after 1 host-local",
  "ADD after 1 macvlan",
  "ADD after 1 macvlan-wrapper",
  "ADD before 1 bridge",
  "ADD after 2 host-local",
  "ADD after 1 bridge",
  "ADD before 1 portmap",
  "ADD after 1 portmap-wrapper",
  "DEL before 1 portmap-wrapper",
  "DEL after 1 portmap",
  "DEL before 1 bridge",
  "DEL before 1 host-local",
  "DEL after 1 host-local",
  "DEL after 1 bridge-wrapper",
  "DEL before 1 macvlan",
  "DEL after 2 host-local",
  "DEL after 1 macvlan",
  "DEL after 1 macvlan-wrapper",
];

/** Both kinds of reboots. */
export async function reboots(own: Rebooting): Promise<Told[]> {
  return [...(await comeBack(own)), ...(await powerCuts(own))];
}

/** A call that the power is cut in, and the verb after the next boot. */
interface Moment {
  readonly cut: string;
  readonly recover: string;
}

/** The moments of one part, each with the verb after the reboot: in turn. */
function momentsOf({ part, parts }: Rebooting): Moment[] {
  const all = moments.map((cut, index) => ({ cut, recover: Math.floor(index / 2) % 2 === 0 ? "ADD" : "DEL" }));
  return everyNth(all, part, parts);
}

/** The power is pulled at each moment of ADD and DEL. After the next boot, a verb finishes or removes everything. */
function powerCuts(own: Rebooting): Promise<Told[]> {
  return withFolder(async (folder) => {
    const told: Told[] = [];
    let last = { cut: "-", recover: "-" };
    for (const next of [...momentsOf(own), { cut: "-", recover: "-" }]) {
      const problems = await cutAndBoot(own, folder, last, next);
      const verbs = last.recover === "ADD" ? "ADD, CHECK and DEL pass" : "DEL and GC pass";
      const name = `power pulled: ${last.cut}; after the reboot ${verbs}, and nothing is left`;
      if (last.cut !== "-") told.push({ name, problems });
      last = next;
    }
    return told;
  });
}

/** Boots, and pulls the power at the moment. Returns the problems of the last one. */
async function cutAndBoot({ bin, cpu }: Rebooting, folder: string, last: Moment, { cut }: Moment): Promise<string[]> {
  const reached = path.join(folder, "reached");
  rmSync(reached, { force: true });
  const booted = boot([...programOf("inside-power.ts", bin), last.recover, cut], folder, cpu);
  const ended = booted.ended.then(({ stderr }) => stderr, String);
  const early = await Promise.race([ended, existing(reached)]);
  await booted.pullPower();
  const printed = readShared(folder, "stdout");
  if (printed === "") return [`${early ?? ""}`];
  const { problems } = JSON.parse(printed) as { problems: string[] };
  return cut !== "-" && early !== undefined ? [...problems, early] : problems;
}

async function existing(file: string): Promise<undefined> {
  while (!existsSync(file)) await setTimeout(50, undefined, { ref: false });
}

/** Every example is attached in one boot, and comes back in the next. */
function comeBack({ bin, part, parts, cpu }: Rebooting): Promise<Told[]> {
  return withFolder(async (folder) => {
    const names = everyNth(Object.keys(examples), part, parts);
    const run = async (which: string): Promise<Record<string, string[]>> => {
      const { stdout, stderr } = await boot([...programOf("inside-examples.ts", bin), which, names.join()], folder, cpu)
        .ended;
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout);
    };
    const [first, second] = [await run("first"), await run("second")];
    return names.map((name) => ({
      name: `${name}.conflist comes back after a reboot with its addresses, and DEL leaves nothing`,
      problems: [...(first[name] ?? ["did not run"]), ...(second[name] ?? ["did not run"])],
    }));
  });
}

function programOf(file: string, bin: string): string[] {
  return ["env", `CNI_WRAPPERS_BIN=${bin}`, "node_modules/.bin/node", `test/kernel/${file}`];
}
