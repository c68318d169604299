import { basename } from "node:path";
import { oneLine } from "../terminal.ts";
import type { CachedAttachment } from "./cached-results.ts";
import { type Allocation, askNomad, type NomadAgent } from "./nomad-agent.ts";

/** What runs in a container, in the words of its runtime. */
export interface Workload {
  readonly runtime: "Nomad" | "Kubernetes" | "podman" | "nerdctl" | "containerd" | "unknown";
  /** One line for a table. */
  readonly name: string;
  /** The names of Nomad's tasks, if its agent told them. */
  readonly tasks?: readonly string[];
}

/** Names the workload of an attachment. */
export type WorkloadNames = (attachment: CachedAttachment) => Workload;

/**
 * Asks the local Nomad agent for its allocations. Without an answer the names come from CNI_ARGS; `warn` gets a line about
 * it if NOMAD_ADDR says that there is an agent. It asks nothing if there are no attachments.
 */
export async function workloadNames(
  attachments: readonly CachedAttachment[],
  agent: NomadAgent,
  warn: (line: string) => void,
): Promise<WorkloadNames> {
  if (attachments.length === 0) return workloadOf;
  const { allocations, problem } = await askNomad(agent);
  const { NOMAD_ADDR: address } = agent.env;
  if (problem !== undefined && address) warn(`${address}: ${problem}; names are from CNI_ARGS\n`);
  return (attachment) => workloadOf(attachment, allocations.get(attachment.containerId));
}

/** Names the workload from CNI_ARGS and from the form of its id and namespace, which differ between the runtimes. */
export function workloadOf(attachment: CachedAttachment, allocation?: Allocation): Workload {
  const workload = allocation ? allocated(attachment, allocation) : recognized(attachment);
  // A job may have line breaks in its names.
  return { ...workload, name: oneLine(workload.name) };
}

function allocated({ containerId }: CachedAttachment, { job, group, tasks }: Allocation): Workload {
  return { runtime: "Nomad", name: `${job}/${group} (${tasks.join(", ")}) ${containerId.slice(0, 8)}`, tasks };
}

function recognized({ args, containerId, netns }: CachedAttachment): Workload {
  const given: Readonly<Record<string, string>> = Object.fromEntries(args);
  const { NOMAD_JOB_ID: job, NOMAD_GROUP_NAME: group, K8S_POD_NAME: pod, K8S_POD_NAMESPACE: namespace } = given;
  const [id, short] = [containerId.slice(0, 8), containerId.slice(0, 12)];
  if (job !== undefined) return { runtime: "Nomad", name: `${joined(job, group)} ${id}` };
  // Nomad before 1.9.4 gives no names.
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(containerId);
  if (isUuid && basename(netns) === containerId) return { runtime: "Nomad", name: id };
  if (pod !== undefined && namespace !== undefined)
    return { runtime: "Kubernetes", name: `${joined(namespace, pod)} ${id}` };
  // containers/common, libnetwork/cni/run.go: podman gives the container's name so, and no namespace.
  if (pod !== undefined) return { runtime: "podman", name: `podman ${pod} ${short}` };
  // nerdctl, pkg/ocihook. Its ids begin with containerd's namespace, as those of ctr (containerd, cmd/ctr).
  const runtime = given.NERDCTL_CNI_DHCP_HOSTNAME === undefined ? "containerd" : "nerdctl";
  if (runtime === "nerdctl" || /^\/proc\/\d+\/ns\/net$/.test(netns))
    return { runtime, name: `${runtime} ${containerId.replace(/-([0-9a-f]{12})[0-9a-f]{52}$/, "/$1")}` };
  return { runtime: "unknown", name: short };
}

function joined(...names: (string | undefined)[]): string {
  return names.filter(Boolean).join("/");
}
