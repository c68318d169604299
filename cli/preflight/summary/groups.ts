import type { HostAnswer } from "./read-answers.ts";

/** Failing attachments of one network with the same reason. */
export interface Group {
  readonly network: string;
  /** The reason, without what differs from container to container. */
  readonly reason: string;
  readonly attachments: number;
  readonly hosts: number;
  readonly adoptable: number;
}

/** Groups the failing attachments of all hosts by network and reason. The largest group comes first. */
export function groupsOf(answers: readonly HostAnswer[]): readonly Group[] {
  const failures = answers.flatMap(({ failures }, host) => failures.map((failure) => ({ ...failure, host })));
  const groups = Map.groupBy(failures, ({ network, reason }) => JSON.stringify([network, withoutNames(reason)]));
  return [...groups]
    .map(([key, members]) => {
      const [network, reason]: [string, string] = JSON.parse(key);
      const hosts = new Set(members.map(({ host }) => host)).size;
      const adoptable = members.filter(({ isAdoptable }) => isAdoptable).length;
      return { network, reason, attachments: members.length, hosts, adoptable };
    })
    .sort((one, other) => other.attachments - one.attachments || compared(one.network, other.network));
}

function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Replaces what belongs to one container: its id, MACs, addresses and the host's name of its veth. */
function withoutNames(reason: string): string {
  return reason
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g, "<id>")
    .replace(/\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/g, "<MAC>")
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(\/\d+)?\b/g, "<address>")
    .replace(/(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(\/\d+)?/gi, "<address>")
    .replace(/\bveth[0-9a-f]+\b/g, "<veth>");
}
