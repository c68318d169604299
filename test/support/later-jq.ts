import { existsSync } from "node:fs";
import { glob, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { cache } from "../../build/publish.ts";

/** A jq, and the command line that starts it. */
export interface Jq {
  readonly version: string;
  readonly argv: readonly string[];
  /** All its files: the program and its libraries. */
  readonly files: readonly string[];
}

/** The Debian releases after 12. Each has a newer jq. */
export const laterSuites = ["trixie", "forky"] as const;

type Suite = (typeof laterSuites)[number];

/** jq and its libraries, with the C library and its loader: the host's may be too old. */
const packages = ["jq", "libjq1", "libonig5", "libc6"];

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Returns the jq of a later Debian release, unpacked in the cache and started by its own loader. apt downloads it once,
 * from the mirror that it already uses. Nothing is installed. Throws if apt has no such mirror or cannot reach it.
 */
export async function laterJq(suite: Suite): Promise<Jq> {
  const directory = path.join(cache, "jq", suite);
  if (!existsSync(directory)) await fetchInto(directory, suite);
  const [loader, library, program] = await Promise.all([
    find(directory, "usr/lib*/**/ld-linux-*.so.?"),
    find(directory, "usr/lib/*/libjq.so.1"),
    find(directory, "usr/bin/jq"),
  ]);
  const argv = [loader, "--library-path", path.dirname(library), program];
  const [command = "", ...args] = argv;
  const { stdout } = await execa(command, [...args, "--version"]);
  const onig = await find(directory, "usr/lib/*/libonig.so.5");
  return { version: stdout.replace("jq-", ""), argv, files: [program, library, onig] };
}

async function find(directory: string, pattern: string): Promise<string> {
  const [found] = await Array.fromAsync(glob(pattern, { cwd: directory }));
  if (found === undefined) throw new Error(`there is no ${pattern} in ${directory}`);
  return path.join(directory, found);
}

async function fetchInto(directory: string, suite: Suite): Promise<void> {
  const mirror = await debianMirror();
  const work = `${directory}.${process.pid}`;
  const at = (...names: string[]) => path.join(work, ...names);
  for (const name of ["lists/partial", "archives/partial", "root"]) await mkdir(at(name), { recursive: true });
  try {
    const signature = existsSync(keyring) ? `[signed-by=${keyring}] ` : "";
    await writeFile(at("sources.list"), `deb ${signature}${mirror} ${suite} main\n`);
    await writeFile(at("apt.conf"), aptSettings(work));
    await apt(work, "update");
    await apt(work, "download", ...packages);
    const archives = (await readdir(work)).filter((name) => name.endsWith(".deb"));
    for (const archive of archives) await execa("dpkg-deb", ["--extract", at(archive), at("root")]);
    await rm(directory, { recursive: true, force: true });
    await rename(at("root"), directory);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The mirror of Debian itself (without security updates) that this machine's apt uses. */
async function debianMirror(): Promise<string> {
  const wanted = ["Origin: Debian", "Label: Debian", "Identifier: Packages", "Component: main"];
  const { stdout } = await execa("apt-get", ["indextargets", "--format", "$(REPO_URI)", ...wanted]);
  const [mirror] = stdout.split("\n");
  if (!mirror) throw new Error("this machine's apt uses no mirror of Debian (apt-get update may be needed)");
  return mirror;
}

// A separate state and separate sources. The way to the mirror stays the machine's own.
function aptSettings(directory: string): string {
  const settings = {
    "Dir::Etc::sourcelist": `${directory}/sources.list`,
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::State::lists": `${directory}/lists`,
    "Dir::State::status": "/dev/null",
    "Dir::Cache": directory,
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    "Acquire::Retries": "1",
    "Acquire::http::Timeout": "20",
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} "${value}";\n`)
    .join("");
}

async function apt(directory: string, ...args: string[]): Promise<void> {
  // For apt, a failed update is only a warning.
  const strict = args[0] === "update" ? ["--error-on=any"] : [];
  await execa("apt-get", ["-q", ...strict, ...args], {
    cwd: directory,
    env: { APT_CONFIG: path.join(directory, "apt.conf") },
    timeout: 120_000,
  });
}
