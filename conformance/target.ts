/** What a plugin can be: it creates interfaces, or it changes those of earlier plugins. */
export const roles = ["interface", "chained"] as const;

/** A plugin's configuration: keys and values of JSON. */
export type Config = Readonly<Record<string, unknown>>;

/** What a configuration file says about the plugin in its key `conformance`. Each text is a shell command. */
interface Hints {
  /** Keys of the configuration for a second interface of a container, if it cannot have the first one's. */
  readonly second?: Config;
  /** Links of the host that ADD may leave, or that a namespace takes with it. */
  readonly stays?: readonly string[];
  /** The kernel does not let anybody change its interface's MAC. */
  readonly hasFixedMac?: boolean;
  /** It changes the result of the plugins before it. */
  readonly changesResult?: boolean;
  readonly prepare?: string;
  /** Breaks what its ADD made, for the case of CHECK. */
  readonly break?: string;
  readonly cleanUp?: string;
}

/** The type of each key of `Hints`. */
export const hintTypes: Readonly<Record<keyof Hints, "boolean" | "list" | "object" | "string">> = {
  second: "object",
  stays: "list",
  hasFixedMac: "boolean",
  changesResult: "boolean",
  prepare: "string",
  break: "string",
  cleanUp: "string",
};

/** A plugin under test. */
export interface Target {
  /** The type in its configuration. */
  readonly type: string;
  /** The executable in the private host. */
  readonly file: string;
  readonly role: (typeof roles)[number];
  /** Its configuration has no IPAM plugin. */
  readonly withoutIpam: boolean;
  readonly config: Config;
  /** The most seconds that a call may take. */
  readonly seconds?: number;
}

/** A target as a configuration file describes it, without its executable. */
export function describedBy(config: Config): Pick<Target, "role" | "withoutIpam" | "config"> {
  const hasIpam = "ipam" in config;
  return { role: hasIpam ? "interface" : "chained", withoutIpam: !hasIpam, config };
}

/** The configuration of a trial. Trials at the same time differ by their number. */
export function configOf({ config }: Target, number: number): Config {
  const { cniVersion: _, name: __, conformance: ___, ...own } = config;
  return filled(own, number) as Config;
}

/** What the configuration says besides the plugin's keys. */
export function hintsOf({ config }: Target, number: number): Hints {
  return filled(config.conformance ?? {}, number) as Hints;
}

/** Puts a trial's number into a value: "br{n}" becomes "br7", and "{n+100}" the number 107. It is below 250. */
function filled(value: unknown, number: number): unknown {
  if (typeof value === "string") return filledText(value, number % 250);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => filled(each, number));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, number)]));
}

function filledText(text: string, number: number): number | string {
  const mark = /\{n(?:\+(\d+))?\}/g;
  const numberOf = (found: string) => number + Number(found.replace(mark, "$1"));
  if (new RegExp(`^${mark.source}$`).test(text)) return numberOf(text);
  return text.replace(mark, (found) => `${numberOf(found)}`);
}
