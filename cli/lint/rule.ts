import type { Link } from "../host/links.ts";
import type { State } from "../host/memory.ts";
import type { PluginFolder } from "../host/read-plugin-folder.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import type { ListFile, Place } from "../lists/list-file.ts";

/** `error`: it fails now, on the next restart, or with a second container. `warning`: it works and misleads. */
export type Severity = "error" | "warning";

/** One thing that a rule found. */
export interface Found {
  readonly place: Place;
  /** One sentence without a full stop: what is wrong. */
  readonly message: string;
  /** What to do. */
  readonly hint: string;
  /** Changes to the text that are safe without a question. */
  readonly fix?: readonly Edit[];
}

/** One thing that a rule found in a list or a plugin. */
export interface FoundAt extends Omit<Found, "place" | "fix"> {
  /** The path in the list or in the plugin's configuration. */
  readonly at: readonly (string | number)[];
  /** Whether the key is meant, and not its value. */
  readonly isKey?: boolean;
  /** A text for this place that is safe without a question. */
  readonly instead?: string;
}

/** Replaces a place in the text. */
export interface Edit extends Place {
  readonly content: string;
}

/** What the rules may look at, next to the list itself. */
export interface Context {
  /** All lists of this run, in the order in which a runtime reads their files. */
  readonly lists: readonly List[];
  /** The plugins of --cni-path. */
  readonly plugins?: PluginFolder | undefined;
  /** The state of --state. */
  readonly state?: State | undefined;
  /** The interfaces of the host, with --host. */
  readonly links?: readonly Link[] | undefined;
  /** Whether the host is configured for CRI-O, with --host. */
  readonly hasCrio?: boolean | undefined;
}

/** One thing that a rule found on the host and not in a file. */
export interface FoundOnHost extends Pick<Found, "message" | "hint"> {
  /** The file or directory that it is about. */
  readonly path: string;
}

interface RuleText {
  /** A rule finds errors, unless it says that they are warnings. */
  readonly severity?: Severity;
  /** One line for the table of rules. */
  readonly title: string;
  /** Why it matters and how to fix it, for the rule's section of docs/lint.md. */
  readonly page: string;
}

type Result = FoundAt | readonly FoundAt[] | undefined;

/** A rule about a file's text, before it is known to be a list. */
export interface FileRule extends RuleText {
  findInFile(file: ListFile): readonly Found[];
}

/** A rule about a list. */
export interface ListRule extends RuleText {
  findInList(list: List, context: Context): Result;
}

/** A rule about each plugin of a list. */
export interface PluginRule extends RuleText {
  findInPlugin(plugin: ListedPlugin, list: List, context: Context): Result;
}

/** A rule about the host itself. Its findings belong to no list. */
export interface HostRule extends RuleText {
  findOnHost(context: Context): readonly FoundOnHost[];
}

/** A rule with its code, which its file in cli/rules/ and its export are named for. Its title and page are its comment. */
export type Rule = (FileRule | ListRule | PluginRule | HostRule) & {
  readonly code: string;
  readonly severity: Severity;
};
