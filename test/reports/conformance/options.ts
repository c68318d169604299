import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type SpecVersion, specVersions } from "./case.ts";
import { roles, setups, type Target } from "./targets.ts";

/** One plugin of this machine. */
export interface OwnPlugin {
  readonly file: string;
  readonly role: Target["role"];
  readonly config: Readonly<Record<string, unknown>>;
}

/** The checked command line. */
export interface Options {
  /** Without it: the plugins of the table. */
  readonly own: OwnPlugin | undefined;
  readonly only: readonly string[] | undefined;
  readonly spec: readonly SpecVersion[] | undefined;
  readonly write: boolean;
  readonly kernel: boolean;
  readonly node: boolean;
  /** For the second kernel: its tasks as JSON. */
  readonly tasks: string | undefined;
}

/** A wrong command line. The message says what is wrong and what to do. */
export class UsageError extends Error {}

export const help = `Tries out CNI plugins against the rules of the CNI specification, 0.3.0 to 1.1.0. It needs root.

  npm run test:conformance                        the reference plugins and their wrappers
  npm run test:conformance -- --plugin FILE --config FILE     any plugin

  --plugin FILE    the executable. The plugins that it runs, such as IPAM plugins, must be in the same folder
  --config FILE    its plugin configuration as JSON: one entry of a network configuration list
  --role ROLE      ${roles.join(" or ")}. Without it: interface if the configuration has ipam, chained if not
  --spec VERSIONS  versions of the specification, such as 0.4.0,1.1.0. Without it: what the plugin lists for VERSION
  --only PLUGINS   some of the reference plugins, such as bridge,tuning, with what each case says
  --node           every wrapper in the Node flavor too, not only those of bridge and portmap
  --kernel         in a second kernel (user-mode-linux), the plugins that this machine's kernel cannot run
  --write          renew docs/conformance.md and results.json
  --help           this text

Each plugin runs in private network, mount and process namespaces. They have an interface uplink0, which a configuration
can name as the master. The exit code is 1 if a case fails (without --plugin: if a wrapper breaks a rule that the plain
plugin follows, or the results are not those of results.json), and 2 if the command line is wrong.`;

/** Parses the command line; undefined if it asks for help. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const given = valuesOf(args);
  if (given.help) return undefined;
  const { plugin, config, role, write = false, kernel = false, node = false, tasks } = given;
  if (plugin === undefined && (config ?? role) !== undefined)
    throw new UsageError("--config and --role need --plugin FILE");
  return {
    own: plugin === undefined ? undefined : ownPlugin(plugin, config, role),
    only: given.only?.split(",").map((name) => oneOf("--only", name, Object.keys(setups))),
    spec: given.spec === undefined ? undefined : specOf(given.spec),
    ...{ write, kernel, node, tasks },
  };
}

function valuesOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    ...{ plugin: text, config: text, role: text, spec: text, only: text, tasks: text },
    ...{ write: flag, kernel: flag, node: flag, help: flag },
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}. --help shows the options`);
  }
}

function ownPlugin(plugin: string, configFile: string | undefined, role: string | undefined): OwnPlugin {
  const file = path.resolve(plugin);
  if (!existsSync(file)) throw new UsageError(`--plugin ${plugin}: there is no such file`);
  const stat = statSync(file);
  if (!stat.isFile()) throw new UsageError(`--plugin ${plugin}: it is not a file. Give the executable itself`);
  if ((stat.mode & 0o111) === 0) throw new UsageError(`--plugin ${plugin}: it is not executable. Run chmod +x`);
  if (configFile === undefined)
    throw new UsageError("--plugin needs --config FILE, with the plugin's configuration as JSON");
  const config = readConfig(configFile);
  checkIpam(config, path.dirname(file));
  return { file, config, role: role === undefined ? defaultRole(config) : oneOf("--role", role, roles) };
}

function defaultRole(config: OwnPlugin["config"]): Target["role"] {
  return "ipam" in config ? "interface" : "chained";
}

function readConfig(file: string): OwnPlugin["config"] {
  const config = parsed(file);
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new UsageError(`--config ${file}: it is not a JSON object`);
  }
  if ("plugins" in config) {
    throw new UsageError(`--config ${file}: it is a network configuration list. Give one entry of its "plugins"`);
  }
  return config as OwnPlugin["config"];
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--config ${file}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Without its IPAM plugin, nearly every case fails, each with the same message. */
function checkIpam({ ipam }: OwnPlugin["config"], folder: string): void {
  const type = (ipam as { readonly type?: unknown } | undefined)?.type;
  if (typeof type === "string" && !existsSync(path.join(folder, type))) {
    throw new UsageError(`the IPAM plugin ${type} is not in ${folder}. Put it next to the plugin`);
  }
}

function specOf(text: string): SpecVersion[] {
  const wanted = text.split(",").map((version) => oneOf("--spec", version, specVersions));
  return specVersions.filter((version) => wanted.includes(version));
}

function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new UsageError(`${option} ${text}: it must be one of ${known.join(", ")}`);
  return found;
}

/** Says in one line why this user cannot run labs; undefined if they can. */
export function rootProblem(): string | undefined {
  return process.getuid?.() === 0 ? undefined : "this needs root, for private network namespaces. Run it with sudo";
}
