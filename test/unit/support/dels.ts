import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, type Machine, type Outcome } from "./fake-host.ts";
import { blue } from "./requests.ts";

/** The keys that every configuration of the list zone has. */
export const zone = { cniVersion: "1.0.0", name: "zone" };

/** The DEL of a wrapped plugin. The index of its interface is 7. */
export function del(plugin: string, stdin: JsonObject, machine: Machine, netns = blue): Outcome {
  const env = { CNI_COMMAND: "DEL", CNI_NETNS: netns };
  return callWrapper(
    { calledAs: `/opt/cni/bin/${plugin}-wrapper`, stdin: { ...zone, ...stdin }, env },
    { links: [7], ...machine },
  );
}

/** The plugins that ran, each with its interface and its namespace. */
export function runsOf({ runs }: Outcome): string[] {
  return runs.map(({ path, env }) => `${path.slice(13)} ${env.CNI_COMMAND} ${env.CNI_IFNAME} ${env.CNI_NETNS}`);
}
