import { executable } from "../publish.ts";

/** The flavors of a release, and the names of their archives. `conformance` is a program of its own. */
export const flavors = { slim: "cni-wrappers", node: "cni-wrappers-tools", conformance: "cni-conformance" } as const;

/** A flavor of a release. */
export type Flavor = keyof typeof flavors;

/** The architectures of a release by the reference plugins' names: Rust's target, and Node's name for it. */
export const architectures = {
  amd64: { target: "x86_64-unknown-linux-musl", node: "x64" },
  arm64: { target: "aarch64-unknown-linux-musl", node: "arm64" },
} as const;

/** An architecture of a release. */
export type Architecture = keyof typeof architectures;

const otherNames: Readonly<Record<string, Architecture>> = { x86_64: "amd64", aarch64: "arm64" };

/** One archive of a release. */
export interface Artifact {
  readonly flavor: Flavor;
  readonly architecture: Architecture;
}

/** Returns the name of the executable in an archive. */
export function executableIn(flavor: Flavor): string {
  return flavor === "conformance" ? flavors.conformance : executable;
}

/** Returns the name of an artifact's archive: `cni-wrappers-linux-amd64-v1.2.3.tgz`, for example. */
export function archiveName({ flavor, architecture }: Artifact, version: string): string {
  return `${flavors[flavor]}-linux-${architecture}-v${version}.tgz`;
}

/** Returns the name of a release's page, where anybody can try a list. */
export function pageName(version: string): string {
  return `cni-wrappers-page-v${version}.html`;
}

/** Reads the name of an archive; undefined if it is none. */
export function parseArchiveName(name: string): (Artifact & { version: string }) | undefined {
  const [, prefix, architecture, version = ""] = /^([a-z-]+)-linux-([a-z0-9]+)-v(.+)\.tgz$/.exec(name) ?? [];
  const flavor = (Object.keys(flavors) as Flavor[]).find((each) => flavors[each] === prefix);
  if (flavor === undefined || !isArchitecture(architecture)) return undefined;
  return { flavor, architecture, version };
}

/** Returns the artifacts for comma-separated lists of flavors and architectures; all of them without a list. */
export function chooseArtifacts(flavorList?: string, architectureList?: string): Artifact[] {
  const chosenFlavors = chosen("flavor", flavorList, Object.keys(flavors)) as Flavor[];
  const names = architectureList?.split(",").map((name) => otherNames[name] ?? name);
  const chosenArchitectures = chosen("architecture", names?.join(","), Object.keys(architectures)) as Architecture[];
  return chosenFlavors.flatMap((flavor) => chosenArchitectures.map((architecture) => ({ flavor, architecture })));
}

function chosen(kind: string, list: string | undefined, known: readonly string[]): readonly string[] {
  const names = list?.split(",") ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown ${kind} ${unknown}: use ${known.join(" or ")}`);
  return names;
}

function isArchitecture(name: string | undefined): name is Architecture {
  return name !== undefined && Object.hasOwn(architectures, name);
}
