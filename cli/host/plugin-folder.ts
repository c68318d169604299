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
