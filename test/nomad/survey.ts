import { readdir, readFile, readlink, stat } from "node:fs/promises";
import type { Lab } from "../support/lab.ts";
import type { Allocation } from "./api.ts";

/** The port on which every task answers, in its own namespace. */
export const taskPort = 7777;

/** The state of a running allocation, read from the kernel. */
export interface AllocationState {
  readonly id: string;
  /** The task's process: its id in the lab, and its start in clock ticks since boot. 0 if there is no process. */
  readonly pid: number;
  readonly startTime: number;
  /** The task's network namespace, and the namespace of the allocation's file, such as `net:[4026532000]`. */
  readonly taskNamespace: string;
  readonly namespace: string;
  /** The addresses of each interface in the allocation's namespace, without lo. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** The namespace that answers at each address by tcp; empty if none does. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Looks at the tasks and namespaces of allocations, and talks to each of their addresses. */
export async function surveyAllocations(lab: Lab, allocations: readonly Allocation[]): Promise<AllocationState[]> {
  const processes = await taskProcesses(lab);
  const states: AllocationState[] = [];
  for (const { ID } of allocations) {
    const task = processes.find(({ allocation }) => allocation === ID);
    const namespace = await namespaceOf(lab, ID);
    // Nomad makes the file first, and mounts the namespace there then.
    const addresses = await lab.kernel.allAddresses({ name: ID, netns: `/run/netns/${ID}` }).catch(() => ({}));
    states.push({
      id: ID,
      pid: task?.pid ?? 0,
      startTime: task?.startTime ?? 0,
      taskNamespace: task?.namespace ?? "",
      namespace,
      addresses,
      answers: await answersFrom(lab, Object.values(addresses).flat()),
    });
  }
  return states;
}

/** Whether an allocation is untouched: the same process in the same namespace, the same addresses, and traffic. */
export function survived(before: AllocationState, survey: readonly AllocationState[]): boolean {
  const after = survey.find(({ id }) => id === before.id);
  return after !== undefined && isSound(after) && JSON.stringify(before) === JSON.stringify(after);
}

/** Whether an allocation's task runs in the allocation's namespace and answers there at each of its addresses. */
export function isSound({ pid, taskNamespace, namespace, addresses, answers }: AllocationState): boolean {
  const all = Object.values(addresses).flat();
  const isReached = all.length > 0 && all.every((address) => answers[address] === namespace);
  return pid > 0 && namespace !== "" && taskNamespace === namespace && isReached;
}

/** The running tasks. */
export async function taskProcesses(lab: Lab) {
  const entries = (await readdir(lab.path("/proc"))).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(entries.map((pid) => taskProcess(lab, pid).catch(() => undefined)));
  return found.filter((process) => process !== undefined);
}

async function taskProcess(lab: Lab, pid: string) {
  const directory = lab.path(`/proc/${pid}`);
  const command = await readFile(`${directory}/cmdline`, "utf8");
  if (!command.startsWith("/run/lab/drivers/echo\0serve\0")) return undefined;
  const [, allocation = ""] =
    /(?:^|\0)NOMAD_ALLOC_ID=([^\0]+)/.exec(await readFile(`${directory}/environ`, "utf8")) ?? [];
  // proc(5): the name in parentheses may contain spaces. starttime is field 22, so it is the 20th after the name.
  const fields = (await readFile(`${directory}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  return {
    allocation,
    pid: Number(pid),
    startTime: Number(fields[19]),
    namespace: await readlink(`${directory}/ns/net`),
  };
}

/** The namespace of the allocation's file; empty if the file is gone. */
async function namespaceOf(lab: Lab, id: string): Promise<string> {
  const file = await stat(lab.path(`/run/netns/${id}`)).catch(() => undefined);
  return file ? `net:[${file.ino}]` : "";
}

async function answersFrom(lab: Lab, addresses: readonly string[]): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const address of addresses) answers[address] = await ask(lab, "tcp", withPort(address));
  return answers;
}

function withPort(address: string): string {
  const [host = ""] = address.split("/");
  return host.includes(":") ? `[${host}]:${taskPort}` : `${host}:${taskPort}`;
}

/** Talks to a task from the host. Returns the namespace that answered, or nothing. */
export async function ask(lab: Lab, protocol: "tcp" | "udp", target: string): Promise<string> {
  const { exitCode, stdout } = await lab.call("/run/lab/drivers/echo", ["ask", protocol, target]);
  return exitCode === 0 ? stdout.trim() : "";
}
