import { dirname, extname, join, resolve } from "node:path";
import { listDirectory } from "../../shared/host/node/files.ts";
import { type Finding, lintFiles } from "../lint/lint.ts";
import type { Context, Rule } from "../lint/rule.ts";
import { type ReasonOf, readSwitchedOff, switchedOffLines } from "../lint/switched-off.ts";
import { isMisspelt, readListFiles } from "../lists/find-files.ts";
import { isDisabled, listOf } from "../lists/list.ts";
import type { ListFile } from "../lists/list-file.ts";
import { oneLine, type Terminal, Trouble } from "../terminal.ts";
import { usualLists } from "./host-paths.ts";

/** The networks that a runtime would load, by name. */
export type Networks = ReadonlyMap<string, Network>;

/** What the directories of the lists have. */
export interface Lists {
  readonly files: readonly ListFile[];
  readonly networks: Networks;
  /** The files that a runtime does not load. */
  readonly faults: readonly ListFault[];
}

/** A file that libcni refuses. Nomad does not start with it, and containers that run may lose their network. */
interface ListFault {
  /** The network, if the file still says it. */
  readonly network: string | undefined;
  /** The file, its line and column, and what is wrong. */
  readonly line: string;
}

/** The rules of lint about what libcni refuses when it reads a file. */
const rulesOfLoading = ["invalid-json", "list-shape", "wrong-ending", "no-plugins", "network-name", "plugin-type"];

/** A network and the list that defines it. */
export type Network = Readonly<NonNullable<ReturnType<typeof networkIn>>>;

/** Reads the lists of the directories, and names the files that a runtime does not load. Throws Trouble if a directory cannot be read. */
export function readLists(directories: readonly string[], directory: string): Lists {
  const unread: ListFault[] = [];
  const leaveOut = ({ message }: Trouble) => unread.push({ network: undefined, line: message });
  const files = readListFiles(directories, { directory, readInput: () => "" }, leaveOut);
  return { files, networks: networksIn(files), faults: [...unread, ...faultsIn(files)] };
}

/**
 * Names the directories with plugins that libcni 1.3 adds to a list, but not to a .conf (NetworkPluginConfsFromFiles). Nomad does
 * not use them, and cnitool, CRI-O and containerd 2.1 do.
 */
export function addedPlugins(networks: Iterable<Network>, directory: string): readonly string[] {
  return [...networks].flatMap(({ name, list: { file, value, hasPlugins } }) => {
    const folder = join(dirname(file.path), name);
    const found = (listDirectory(resolve(directory, folder)) ?? []).filter((each) => extname(each) === ".conf");
    // guard: no list is called good that has plugins elsewhere
    if (found.length === 0 || !hasPlugins || isDisabled(value.loadOnlyInlinedPlugins)) return [];
    return `${folder}: libcni 1.3 adds the plugins of ${found.sort().join(", ")} to the list of ${name}, and this command does not look at them; move them into the list, or set "loadOnlyInlinedPlugins": true`;
  });
}

/** The same for files, each line once. Nomad adds no plugins, so the files of its directory `nomads` do not count, nor does stdin. */
export function addedBeside(files: readonly ListFile[], directory: string, nomads = usualLists[0]): readonly string[] {
  const isOthers = ({ path }: ListFile) => path !== "stdin" && dirname(resolve(directory, path)) !== nomads;
  const networks = files.filter(isOthers).flatMap((file) => networkIn(file) ?? []);
  return [...new Set(addedPlugins(networks, directory))];
}

/** Finds the files that a runtime does not load, each with its first mistake. */
export function faultsIn(files: readonly ListFile[]): readonly ListFault[] {
  const found = lintFiles(files, { isAsked: isOfLoading });
  return [...Map.groupBy(found, ({ file }) => file)].flatMap(([file, [first]]) => {
    return first ? [{ network: listOf(file)?.name, line: `${lineOf(first)}. ${oneLine(first.hint)}` }] : [];
  });
}

/**
 * Finds the errors in lists that a runtime loads, on this host and next to each other. Returns a line for each error, and a line
 * for each rule that is switched off and found one.
 */
export function errorsIn(
  files: readonly ListFile[],
  { directory, note, ...around }: Omit<Context, "lists"> & Pick<Terminal, "directory"> & { note(line: string): void },
) {
  // Somebody edits the second list of a name, and nothing changes.
  const isWrong = ({ severity, code }: Rule) => severity === "error" || code === "duplicate-network";
  const isAsked = (rule: Rule) => isWrong(rule) && !isOfLoading(rule);
  const found = lintFiles(files, { ...around, isAsked });
  const reasonOf = switchedOffIn(files, directory, note);
  const counted = found.filter((finding) => reasonOf(finding) === undefined);
  return {
    errors: counted.map((finding) => `${lineOf(finding)} [${finding.code}]. ${oneLine(finding.hint)}`),
    switchedOff: switchedOffLines(found, reasonOf),
  };
}

/** Nothing is switched off by a file that cannot be read. */
function switchedOffIn(files: readonly ListFile[], directory: string, note: (line: string) => void): ReasonOf {
  try {
    return readSwitchedOff(files, directory);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    note(error.message);
    return () => undefined;
  }
}

function isOfLoading({ code }: Rule): boolean {
  return rulesOfLoading.includes(code);
}

function lineOf({ file, position, message }: Finding): string {
  return `${oneLine(file.path)}:${position.line}:${position.column}: ${oneLine(message)}`;
}

/**
 * Picks the networks from files as Nomad does: in the order of their names, the first of a name counts
 * (client/allocrunner/networking_cni.go, loadCNIConf).
 */
export function networksIn(files: readonly ListFile[]): Networks {
  const byName = new Map<string, Network>();
  for (const file of files) {
    const network = networkIn(file);
    const fits =
      network !== undefined &&
      !isMisspelt(file.path) &&
      network.list.hasPlugins === (extname(file.path) === ".conflist");
    // guard: no list counts that the runtime does not load
    if (fits && !byName.has(network.name)) byName.set(network.name, network);
  }
  return byName;
}

/** Returns the network that a file defines, whatever the file's name; undefined if it defines none. */
export function networkIn(file: ListFile) {
  const list = file.errors.length > 0 ? undefined : listOf(file);
  if (list?.name === undefined) return undefined;
  const { name, value, hasPlugins } = list;
  const version = value.cniVersion !== undefined && { cniVersion: value.cniVersion };
  // libcni turns the configuration of a plugin in a `.conf` into a list with one plugin (ConfListFromConf).
  return { name, list, value: hasPlugins ? value : { name, ...version, plugins: [value] } };
}

/** The same. Throws Trouble if a file defines no network. */
export function demandNetworkIn(file: ListFile): Network {
  const network = networkIn(file);
  // guard: nothing is checked or tried with a file that is no list
  if (network) return network;
  throw new Trouble(`${file.path}: it is not a list with a name; run cni-wrappers lint on it`);
}
