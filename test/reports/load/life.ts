import type { Container, Lab, Outcome } from "../../support/lab.ts";
import { portsOf } from "./chains.ts";
import { type Kill, type Life, type Verb, verbs } from "./decisions.ts";
import type { Call, Story } from "./report.ts";
import { order } from "./shims.ts";

/** Nomad tries ADD three times. */
const tries = 3;

/** Attaches a container, checks it and detaches it. A verb that fails is tried again. */
export async function live(lab: Lab, life: Life): Promise<Story> {
  const container = await lab.addContainer(`c${life.number}`);
  const calls: Call[] = [];
  for (const verb of verbs) {
    // CHECK cannot pass without an attachment.
    if (verb === "CHECK" && calls.at(-1)?.failure !== undefined) continue;
    calls.push(await call(lab, life, container, verb, life.kills[verb]));
    for (let time = 1; time < tries && calls.at(-1)?.failure !== undefined; time++) {
      // Another container may take the address that an ADD asks for again. Only DEL helps: docs/behavior.md, Limits.
      if (verb === "ADD" && (life.delFirst || time === tries - 1))
        calls.push({ ...(await call(lab, life, container, "DEL")), isBetween: true });
      calls.push(await call(lab, life, container, verb));
    }
  }
  const left = await remove(lab, container);
  return { chain: life.chain.list.name, number: life.number, calls, left };
}

async function call(
  lab: Lab,
  { chain, number }: Life,
  container: Container,
  verb: Verb,
  kill: Kill | undefined = undefined,
): Promise<Call> {
  const killed = kill && (await order(lab, container.name, verb, kill));
  const outcome = await lab.goCni[verb.toLowerCase() as Lowercase<Verb>](chain.list, container, portsOf(chain, number));
  return { verb, killed: await killed?.(), failure: failureOf(outcome) };
}

function failureOf({ exitCode, stdout, stderr }: Outcome): string | undefined {
  return exitCode === 0 ? undefined : stderr || stdout || `exit code ${exitCode}`;
}

/** Deletes a container's namespace. Returns the links that it still had. */
async function remove(lab: Lab, { name }: Container): Promise<string[]> {
  const script = 'ip -n "$1" -brief link show; ip netns delete "$1"';
  const links = (await lab.run("sh", ["-ec", script, "sh", name])).split("\n").map((line) => line.split(" ")[0] ?? "");
  return links.filter((link) => link !== "" && link !== "lo");
}
