import { taskPort } from "./survey.ts";

interface JobOptions {
  readonly id?: string;
  readonly network: string;
  readonly count?: number;
  /** Host ports, by label; 0 lets Nomad choose one. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Nomad replaces an allocation that failed. */
  readonly rescheduled?: boolean;
  readonly dns?: { readonly Servers: readonly string[]; readonly Searches?: readonly string[] };
  /** Entries of CNI_ARGS besides Nomad's own. */
  readonly cniArgs?: Readonly<Record<string, string>>;
  /** Nomad keeps no logs of the tasks, and so has one process fewer for each. */
  readonly isLean?: boolean;
}

const lean = {
  group: { EphemeralDisk: { SizeMB: 10 } },
  task: { LogConfig: { Disabled: true, MaxFiles: 1, MaxFileSizeMB: 1 } },
};

/** A job in the form of Nomad's API. Each task answers on a port of its own network and names its namespace. */
export function jobOf(options: JobOptions) {
  const { id = "job", network, count = 1, ports = {}, rescheduled = false, dns, cniArgs, isLean = false } = options;
  const labels = Object.entries(ports).map(([Label, Value]) => ({ Label, Value, To: taskPort }));
  const group = {
    Name: "group",
    Count: count,
    RestartPolicy: { Attempts: 0, Mode: "fail" },
    ReschedulePolicy: rescheduled
      ? { Unlimited: true, Delay: 5_000_000_000, DelayFunction: "constant", MaxDelay: 0, Interval: 0, Attempts: 0 }
      : { Unlimited: false, Attempts: 0 },
    Networks: [
      {
        Mode: network,
        ReservedPorts: labels.filter(({ Value }) => Value !== 0),
        DynamicPorts: labels.filter(({ Value }) => Value === 0),
        ...(dns && { DNS: dns }),
        ...(cniArgs && { CNI: { Args: cniArgs } }),
      },
    ],
    ...(isLean && lean.group),
    Tasks: [
      {
        Name: "task",
        Driver: "raw_exec",
        Config: { command: "/run/lab/drivers/echo", args: ["serve", String(taskPort)] },
        Resources: { CPU: 20, MemoryMB: 20 },
        KillTimeout: 1_000_000_000,
        ...(isLean && lean.task),
      },
    ],
  };
  return { ID: id, Name: id, Type: "service", Datacenters: ["*"], TaskGroups: [group] };
}
