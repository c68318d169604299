import type { CachedAttachment } from "./cached-results.ts";

/** What runs in a container, in the words of its runtime. */
export interface Workload {
  readonly runtime: "Nomad" | "Kubernetes" | "unknown";
  /** One line for a table. */
  readonly name: string;
}

/** Names the workload of an attachment from CNI_ARGS: Nomad and Kubernetes put their names there. */
export function workloadOf({ args, containerId }: CachedAttachment): Workload {
  const given = Object.fromEntries(args);
  const { NOMAD_JOB_ID: job, NOMAD_GROUP_NAME: group, K8S_POD_NAME: pod, K8S_POD_NAMESPACE: namespace } = given;
  const id = containerId.slice(0, 8);
  if (job !== undefined) return { runtime: "Nomad", name: `${[job, group].filter(Boolean).join("/")} ${id}` };
  if (pod !== undefined) return { runtime: "Kubernetes", name: `${[namespace, pod].filter(Boolean).join("/")} ${id}` };
  return { runtime: "unknown", name: containerId.slice(0, 12) };
}
