import path from "node:path";
import { execa } from "execa";
import { type Build, built, isBuilt } from "../../build/go-build.ts";

/** The versions of Nomad that can be built, the oldest first: the folders in `test/nomad/agents/`. */
export const nomadVersions = ["1.9.5", "1.10.5", "1.11.3"] as const;

/** One of these versions. */
export type NomadVersion = (typeof nomadVersions)[number];

/** The first version that runs CHECK when a client restarts. */
export const oldestNomad = "1.9.5" satisfies NomadVersion;

/** The version that most tests use. */
export const newestNomad = "1.11.3" satisfies NomadVersion;

const wholeNomad = "github.com/hashicorp/nomad";

const packages: Readonly<Record<NomadVersion, string>> = {
  "1.9.5": "./nomad",
  "1.10.5": wholeNomad,
  "1.11.3": wholeNomad,
};

function buildOf(version: NomadVersion): Build {
  return {
    title: `Nomad ${version} (about five minutes)`,
    module: path.resolve(import.meta.dirname, "../nomad/agents", version),
    packages: [packages[version]],
    ldflags: "-s -w",
    cgo: true,
  };
}

/** Returns the Nomad of this version. Without a version: the one of NOMAD_BIN, or the newest that can be built. */
export async function nomad(version?: NomadVersion): Promise<string> {
  const given = process.env.NOMAD_BIN;
  if (given && !version) return await expectVersion(given);
  return path.join(await built(buildOf(version ?? newestNomad)), "nomad");
}

/** The version that an executable of Nomad prints, such as `1.11.3`. */
export async function versionOf(binary: string): Promise<string> {
  const { stdout } = await execa(binary, ["version"]);
  const [, version] = /^Nomad v(\S+)/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`${binary} is not Nomad: its version is ${stdout.split("\n")[0]}`);
  return version;
}

async function expectVersion(binary: string): Promise<string> {
  const version = await versionOf(binary);
  const parts = version.split(/[.-]/).map(Number);
  const distance = oldestNomad.split(".").map((part, i) => (parts[i] ?? 0) - Number(part));
  if ((distance.find((part) => part !== 0) ?? 0) >= 0) return path.resolve(binary);
  throw new Error(`NOMAD_BIN is Nomad ${version}: ${oldestNomad} or newer is needed`);
}

/** Whether the tests' Nomad is there without a build. */
export async function isNomadBuilt(): Promise<boolean> {
  return process.env.NOMAD_BIN ? true : await isBuilt(buildOf(newestNomad));
}

// `lacks-nomad` prints a line if Nomad is not built. Without an argument, what `npm run test:nomad` needs is built.
if (import.meta.main) {
  if (process.argv[2] === "lacks-nomad") {
    if (!(await isNomadBuilt())) console.log("Nomad is not built here: npm run test:nomad builds it");
  } else {
    await nomad();
    await nomad(oldestNomad);
  }
}
