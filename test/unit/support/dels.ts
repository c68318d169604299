import type { Entry } from "../../../shared/journal/journal.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { type Call, callWrapper, type Machine, type Outcome } from "./fake-host.ts";
import { journalFiles } from "./journals.ts";
import { blue } from "./requests.ts";

/** The keys that every configuration of the list zone has. */
export const zone = { cniVersion: "1.0.0", name: "zone" };

/** A machine whose journals have these entries. */
interface MachineWithEntries extends Machine {
  readonly entries?: readonly Entry[];
}

/** The DEL of a wrapped plugin. The index of its interface is 7. */
export function del(plugin: string, stdin: JsonObject, machine: MachineWithEntries, env: Call["env"] = {}): Outcome {
  const { entries = [], files, ...others } = machine;
  return callWrapper(
    {
      calledAs: `/opt/cni/bin/${plugin}-wrapper`,
      stdin: { ...zone, ...stdin },
      env: { CNI_COMMAND: "DEL", CNI_NETNS: blue, ...env },
    },
    { links: [7], files: { ...journalFiles(...entries), ...files }, ...others },
  );
}

/** The same, with its warnings in the log. */
export function loggedDel(plugin: string, stdin: JsonObject, machine: MachineWithEntries): Outcome {
  return del(plugin, stdin, machine, { CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" });
}

/** The plugins that ran, each with its interface and its namespace. */
export function runsOf({ runs }: Outcome): string[] {
  return runs.map(({ path, env }) => `${path.slice(13)} ${env.CNI_COMMAND} ${env.CNI_IFNAME} ${env.CNI_NETNS}`);
}
