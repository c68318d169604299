/** A verb of a runtime for an attachment such as `c1 za eth0`: container, list, the runtime's interface name. */
export interface VerbEvent {
  readonly do: "ADD" | "DEL";
  readonly of: string;
  readonly fault?: Fault;
}

/** Something that happens on a host. It is data, so that a schedule can be printed, made shorter and kept. */
export type Event =
  | VerbEvent
  /** After a CHECK that passes, the attachment loses something for a moment: CHECK must see it. */
  | { readonly do: "CHECK"; readonly of: string; readonly loses?: number }
  /** By the runtime, or by another one with a list of this name and none of these containers. */
  | { readonly do: "GC"; readonly list: string; readonly by?: "another" }
  /** Each verb in turn goes on for so many points. */
  | { readonly do: "together"; readonly verbs: readonly VerbEvent[]; readonly turns: readonly number[] }
  /** In a list, one interface name becomes another, and the other one this one. */
  | { readonly do: "rename"; readonly list: string; readonly from: string; readonly to: string }
  | { readonly do: "remove from the list"; readonly list: string; readonly plugin: number }
  /** The list gets its plain plugins back, or their wrappers. Only scenarios do so. */
  | { readonly do: "unwrap" | "wrap"; readonly list: string }
  | { readonly do: "uninstall" | "install"; readonly plugin: string }
  /** The wall clock jumps, or time passes. */
  | { readonly do: "set the clock" | "wait"; readonly minutes: number }
  | { readonly do: "reboot" }
  /** The path of a namespace goes. A task may stay in it. */
  | { readonly do: "lose the namespace"; readonly container: string; readonly task?: true };

/** Something that happens in the middle of a verb: at a point that its name or its number tells. */
export interface Fault {
  readonly at: string | number;
  /** The end of all processes, of the runtime alone, of the plugin, an error of the plugin; the power; or none of them. */
  readonly do: (typeof faultKinds)[number];
  /** What happens first. */
  readonly first?: Event;
}

export const faultKinds = ["kill", "kill the plugin", "fail the plugin", "power", "go on", "kill the runtime"] as const;

/** Returns an event as a line of a trace. */
export function lineOf(event: Event): string {
  const { do: what, ...rest } = event;
  const words = Object.entries(rest).map(([key, value]) =>
    typeof value === "object" ? `${key} ${JSON.stringify(value)}` : key === "of" ? value : `${key} ${value}`,
  );
  return [what, ...words].join(" ");
}
