import { firstLine } from "../../support/first-line.ts";
import { newestPlugins } from "../../support/go.ts";
import { type Container, Lab, type Outcome } from "../../support/lab.ts";
import type { AttachOptions, NetworkList } from "../../support/runtime.ts";
import type { Contestant } from "./contestant.ts";

/** The result for one contestant, and notes about it. */
export interface Cell {
  readonly words: string;
  readonly notes?: readonly string[];
}

/** Answers a question for one contestant. */
export type Measure = (contestant: Contestant) => Promise<Cell>;

/** Questions for every contestant that can attach its own list, by their titles. */
export type Rows = Readonly<Record<string, Measure>>;

/** The version of the reference plugins that all contestants run. */
export const comparedPlugins = newestPlugins;

/** A lab with a contestant and a container. */
export interface Scene extends AsyncDisposable {
  readonly lab: Lab;
  readonly container: Container;
  /** go-cni, with this contestant's CNI_PATH. */
  readonly call: Calls;
}

type Verb = "add" | "check" | "del";
export type Calls = Record<
  Verb,
  (list: NetworkList, container?: Container, options?: AttachOptions) => Promise<Outcome>
>;

/** Sets up a contestant in its own lab. With a disk, the lab can be started again. */
export async function setScene(contestant: Contestant, disk?: string): Promise<Scene> {
  const { programs, pluginPath } = contestant;
  const lab = await Lab.start({ plugins: comparedPlugins, programs, ...(disk !== undefined && { disk }) });
  await lab.run("mkdir", ["-p", "/var/lib/cni"]);
  await contestant.install(lab);
  const container = await lab.addContainer("c1");
  const call =
    (verb: Verb): Calls[Verb] =>
    (list, target = container, options = {}) =>
      lab.goCni[verb](list, target, { ...options, pluginPath });
  return {
    lab,
    container,
    call: { add: call("add"), check: call("check"), del: call("del") },
    [Symbol.asyncDispose]: async () => lab[Symbol.asyncDispose](),
  };
}

/** The name of the second interface in the kernel. */
export async function secondName(lab: Lab, container: Container): Promise<string> {
  const names = await lab.kernel.linkNames(container);
  const second = names.find((name) => name !== "lo" && name !== "eth0");
  if (!names.includes("eth0") || second === undefined) throw new Error(`the container has the interfaces ${names}`);
  return second;
}

/** The cell for a call: whether it passes, and its error if it fails. */
export function cellOf({ exitCode, stderr }: Outcome): Cell {
  return exitCode === 0 ? { words: "passes" } : { words: "fails", notes: [quoted(stderr)] };
}

/** An error as a note, without the parts that differ between runs or hosts. */
export function quoted(error: string): string {
  const steady = firstLine(withoutLog(error))
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ALLOCATION")
    .replace(/\bveth[0-9a-f]{8}\b/g, "vethXXXXXXXX")
    .replace(/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/g, "MAC")
    .replace(/CNI-[0-9a-f]{24}/g, "CHAIN")
    .replace(/(?<=\[)\/\S+\/(?=iptables )/g, "");
  return `\`${steady.replaceAll("`", "'")}\``;
}

// meta-cni writes a log before its error, in colors and with times.
function withoutLog(error: string): string {
  const lines = error.split("\n").filter((line) => !line.includes("\u001b"));
  return lines.join("\n");
}
