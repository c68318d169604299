import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { execa } from "execa";
import { registries } from "../../build/environment.mjs";
import { cache } from "../../build/publish.ts";

const { env } = process;
const cargoHome = env.CARGO_HOME || join(homedir(), ".cargo");

/** What the bare Debian is given: variables, and places of this machine with their places there. */
export interface Given {
  readonly variables: Readonly<Record<string, string>>;
  readonly readOnly: readonly (readonly [here: string, there: string])[];
  /** Changes there do not reach this machine. */
  readonly caches: readonly (readonly [here: string, there: string])[];
}

/** Returns this machine's Node and Go, its way to the registries, and perhaps its cargo and its caches. */
export async function givenBy(isWithCargo: boolean, isWarm: boolean): Promise<Given> {
  const { npm_execpath: npm, npm_node_execpath: node } = env;
  if (!npm || !node) throw new Error("npm's own Node is tried: npm run test:fresh");
  const [goRoot = "", modules = "", goCache = ""] = (await execa`go env GOROOT GOMODCACHE GOCACHE`).stdout.split("\n");
  const tools: [string, string][] = [
    [node, "/usr/local/bin/node"],
    [dirname(dirname(npm)), "/usr/local/lib/node_modules/npm"],
    [goRoot, "/usr/local/go"],
  ];
  if (isWithCargo) tools.push([(await execa`rustc --print sysroot`).stdout, "/usr/local/rust"]);
  const way = wayToRegistries();
  const named = Object.values(way).filter((value) => isAbsolute(value));
  const settings: [string, string][] = [
    [join(cargoHome, "config.toml"), "/root/.cargo/config.toml"],
    [join(homedir(), ".netrc"), "/root/.netrc"],
    ...["/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", ...named].map((path): [string, string] => [path, path]),
  ];
  const caches: [string, string][] = [
    [env.npm_config_cache || join(homedir(), ".npm"), "/root/.npm"],
    [modules, "/root/go/pkg/mod"],
    [goCache, "/root/.cache/go-build"],
    [join(cargoHome, "registry"), "/root/.cargo/registry"],
    [cache, "/root/.cache/cni-wrappers"],
  ];
  return {
    variables: { ...way, HOME: "/root", PATH: pathWith(isWithCargo), ...(isWithCargo && { CI: "true" }) },
    readOnly: [...tools, ...settings].filter(isHere),
    caches: isWarm ? caches.filter(isHere) : [],
  };
}

/** Writes the fstab of the bare Debian in `root`, with a place for each mount. */
export function writeMounts(root: string, { readOnly, caches }: Given): void {
  const lines = ["proc /proc proc", "sys /sys sysfs", "/dev /dev none rbind", "run /run tmpfs"];
  for (const [here, there] of readOnly) {
    makePlace(here, join(root, there));
    lines.push(`${here} ${there} none bind,ro`);
  }
  for (const [index, [here, there]] of caches.entries()) {
    const layers = ["upper", "work"].map((name) => join(root, "var/overlay", `${index}`, name));
    for (const folder of [...layers, join(root, there)]) mkdirSync(folder, { recursive: true });
    lines.push(`overlay ${there} overlay lowerdir=${here},upperdir=${layers[0]},workdir=${layers[1]}`);
  }
  const absolute = lines.map((line) => line.replace(" ", ` ${root}`));
  writeFileSync(join(root, "fstab"), `${absolute.join("\n")}\n`);
  for (const name of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name));
}

function makePlace(here: string, there: string): void {
  mkdirSync(statSync(here).isDirectory() ? there : dirname(there), { recursive: true });
  if (!existsSync(there)) writeFileSync(there, "");
}

function isHere([here]: readonly [here: string, there: string]): boolean {
  return existsSync(here);
}

/** The variables that lead npm, Go and cargo to their registries. The files that they name have the same place there. */
function wayToRegistries(): Record<string, string> {
  const isWay = (name: string) => name === "NODE_EXTRA_CA_CERTS" || registries.some((pattern) => pattern.test(name));
  const chosen = Object.entries(env).filter(([name]) => isWay(name));
  return Object.fromEntries(chosen.map(([name, value = ""]) => [name, value]));
}

function pathWith(isWithCargo: boolean): string {
  const debian = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return `${debian}:/usr/local/go/bin${isWithCargo ? ":/usr/local/rust/bin" : ""}`;
}
