import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { profiles } from "../../plugins/index.ts";
import { readFile } from "../../shared/host/node/files.ts";
import { processesNamed } from "../host/programs.ts";
import { exposedPart, linkState, type Place, placeAt, sha256, writtenVersions } from "../install/place.ts";
import { type InstalledRelease, releaseOrProblem } from "../install/release-of.ts";

/** The wrappers in one directory of CNI_PATH. */
export interface Installation {
  readonly directory: string;
  /** Undefined if the executable does not answer. */
  readonly release: InstalledRelease | undefined;
  /**
   * `unknown`: a package or a copy by hand made it, so there is no checksum to compare with. `shadowed`: runtimes run another
   * version, of a directory before it. `exposed`: another user may change it, or gets its owner's rights.
   */
  readonly state: "intact" | "changed" | "broken" | "exposed" | "incomplete" | "shadowed" | "unknown";
  /** Why it does not answer. Only if the state is `broken`. */
  readonly problem?: string;
  /** The file or directory that another user may change. Only if the state is `exposed`. */
  readonly exposed?: string | undefined;
  /** The installation that runtimes run in its place, and the links of both. Only if it is shadowed. */
  readonly shadowedBy?: { readonly directory: string; readonly links: readonly string[] };
  readonly madeBy: "install" | "a package" | "hand";
  readonly links: {
    readonly made: readonly string[];
    readonly missing: readonly string[];
    /** Those of `missing` that a list names. */
    readonly needed: readonly string[];
    /** Names that belong to something else, which `is` says. */
    readonly taken: readonly { readonly name: string; readonly is: string }[];
  };
  /** The version that `install --rollback` puts back. `broken`: it does not answer. */
  readonly previous: InstalledRelease | "broken" | undefined;
}

/**
 * Looks at each directory of CNI_PATH that has the executable. A link to it is another directory's installation. `missing` are the
 * types in lists that no directory has.
 */
export function installationsIn(
  directories: readonly string[],
  from: string,
  missing: ReadonlySet<string> = new Set(),
): readonly Installation[] {
  // A metric with the same labels twice makes Prometheus refuse all of them.
  const existing = [...new Set(directories.map((directory) => resolve(from, directory)))].filter(existsSync);
  const places = existing.map((directory) => placeAt(directory, from));
  const found = places
    .filter(({ executable }) => lstatSync(executable, { throwIfNoEntry: false })?.isFile())
    .map((place) => installationAt(place, missing));
  return found.map((one, index) => {
    const [shadowedBy] = isSound(one) ? found.slice(0, index).flatMap((other) => shadowOf(other, one)) : [];
    return shadowedBy ? { ...one, state: "shadowed", shadowedBy } : one;
  });
}

/** Whether nothing is known to be wrong with an installation. */
export function isSound({ state }: Pick<Installation, "state">): boolean {
  return state === "intact" || state === "unknown";
}

/** What an installation before another one hides of it; nothing if it does not answer, or is the same version. */
function shadowOf(before: Installation, { release, links }: Installation) {
  const isSame = before.release?.version === release?.version && before.release?.commit === release?.commit;
  const both = links.made.filter((name) => before.links.made.includes(name));
  // guard: an installation that another version hides is not called intact
  const isShadow = before.release !== undefined && !isSame && both.length > 0;
  return isShadow ? [{ directory: before.directory, links: both }] : [];
}

function installationAt(place: Place, missing: ReadonlySet<string>): Installation {
  const { release, problem } = releaseOrProblem(place.executable);
  const versions = writtenVersions(place);
  const links = linksOf(place);
  const needed = links.missing.filter((name) => missing.has(name));
  const isPackage = existsSync(join(place.hidden, "owner"));
  const exposed = release && exposedPart(place.executable);
  // guard: an executable that another user may change, or that gives its owner's rights away, is not called intact
  const alone = exposed === undefined ? stateOf(place, release, isPackage ? undefined : versions) : "exposed";
  // guard: an installation without a link that a list needs is not called intact
  const state = needed.length > 0 && isSound({ state: alone }) ? "incomplete" : alone;
  return {
    directory: place.directory,
    release,
    state,
    ...(problem !== undefined && { problem }),
    exposed,
    madeBy: isPackage ? "a package" : versions ? "install" : "hand",
    links: { ...links, needed },
    previous: releaseOrProblem(place.previous).release ?? (existsSync(place.previous) ? "broken" : undefined),
  };
}

function stateOf(
  { executable }: Place,
  release: InstalledRelease | undefined,
  versions: ReadonlyMap<string, string> | undefined,
): Installation["state"] {
  // guard: an executable that does not answer is not called intact
  if (!release) return "broken";
  // guard: an executable without a checksum is not called intact
  if (!versions) return "unknown";
  // guard: a changed executable is not called intact
  return versions.get(sha256(readFileSync(executable))) === release.version ? "intact" : "changed";
}

function linksOf(place: Place): Omit<Installation["links"], "needed"> {
  const ending = "-wrapper";
  const usual = Object.keys(profiles).map((plugin) => plugin + ending);
  const found = readdirSync(place.directory).filter((name) => name.endsWith(ending));
  const states = [...new Set([...usual, ...found.sort()])].map((name) => [name, linkState(place, name)] as const);
  const isOurs = (state: unknown) => state === "made" || state === "respelled";
  return {
    made: states.filter(([, state]) => isOurs(state)).map(([name]) => name),
    missing: states.filter(([, state]) => state === "missing").map(([name]) => name),
    taken: states.flatMap(([name, state]) => (typeof state === "string" ? [] : [{ name, is: state.is }])),
  };
}

/** Node reserves some 1.2 GB when it starts. With less it ends without an answer. In bytes. */
export const neededAddressSpace = 2 * 1024 ** 3;

const runtimes = ["nomad", "containerd", "crio", "dockerd"];

/**
 * Finds runtimes with a low limit of address space, in bytes, which their plugins inherit: it may be too little for the Node
 * flavor. The limit of open files says nothing: Go raises its own, and gives plugins the old one.
 */
export function narrowRuntimes(processes?: string, owner?: number) {
  return processesNamed(runtimes, processes, owner).flatMap(({ name, pid, path }) => {
    const limits = readFile(join(path, "limits")) ?? "";
    // NaN if it is unlimited, and NaN is not less than any number.
    const addressSpace = Number(/^Max address space +(\d+) /m.exec(limits)?.[1]);
    return addressSpace < neededAddressSpace ? { name, pid, addressSpace } : [];
  });
}
