/** The plugins in the directories of --cni-path, as a runtime finds them. Nothing is run before a rule asks for it. */
export interface PluginFolder {
  readonly directories: readonly PluginDirectory[];
  /** Returns the file that a runtime takes for a type; undefined if no directory has it. */
  find(type: string): InstalledPlugin | undefined;
  /** Returns the file that a wrapper takes for its delegate: the first executable that is no wrapper. */
  findDelegate(delegate: string, wrapper: InstalledPlugin): InstalledPlugin | undefined;
  /** Returns the version that Nomad knows of a type; undefined if it finds none. */
  versionForNomad(type: string): string | undefined;
}

/** A directory of --cni-path. */
export interface PluginDirectory {
  readonly path: string;
  /** Why no plugin comes from it; undefined if it has files. */
  readonly problem: string | undefined;
}

/** A file with the name of a plugin. */
export interface InstalledPlugin {
  readonly path: string;
  readonly isExecutable: boolean;
  /** Whether the kernel starts it, its mode aside. Nothing else is ever run: execvp would hand it to a shell. */
  readonly isProgram: boolean;
  /** Whether it is a wrapper, under its own name or under the plugin's. */
  readonly isWrapper: boolean;
  /** As Nomad finds it: the first word of its output that is a version. */
  readonly version: string | undefined;
  /** Why it has no version, and what to do; undefined if it has one. */
  readonly silence: Advice | undefined;
  /** The versions of the specification that its answer to VERSION has; undefined if it does not answer. */
  readonly speaks: readonly string[] | undefined;
  /** The signal that ended it when it was asked with VERSION; undefined if it ended by itself. */
  readonly crash: string | undefined;
  /** Whether it can run `wrapper.jq`: only the Node flavor of a wrapper can. */
  readonly hasJq: boolean;
}

/** What is wrong, and what to do about it. */
export interface Advice {
  readonly reason: string;
  readonly cure: string;
}

/** What is wrong with a file that is no program. */
export const noProgram =
  "the kernel does not start it: it is empty, damaged, for another machine, or its loader is missing on this host";

/** Whether libcni looks for a plugin of this name. A path could name any executable of the host. */
export function isPluginName(type: string): boolean {
  return type !== "" && !type.includes("/");
}

/** Returns the first word that is a version, as Nomad's fingerprint reads a plugin's output (go-version, NewSemver). */
export function versionIn(output: string): string | undefined {
  return output.split(/\s+/).find((word) => /^v?\d+(?:\.\d+)*(?:-[\d.A-Za-z~-]+)?(?:\+[\d.A-Za-z~-]+)?$/.test(word));
}

/** Compares two versions by their numbers: negative if the first one is older. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  const differences = [0, 1, 2].map((index) => (first[index] ?? 0) - (second[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

function numbersOf(version: string): readonly number[] {
  const [plain = ""] = version.replace(/^v/, "").split(/[-+]/);
  return plain.split(".").map(Number);
}
