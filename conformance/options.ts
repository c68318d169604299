import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { variables } from "./calls.ts";
import type { ConformanceCase } from "./case.ts";
import { concerns, conformanceCases } from "./cases.ts";
import { type SpecVersion, specVersions } from "./specification.ts";
import { type Config, describedBy, hintTypes, roles, type Target } from "./target.ts";

/** The checked command line of a run. */
export interface Options {
  /** The words of the command line that choose the plugin, to show how to repeat a case. */
  readonly words: readonly string[];
  readonly plugin: string;
  readonly target: Pick<Target, "role" | "withoutIpam" | "config">;
  /** Without it: what the plugin lists for VERSION. */
  readonly spec: readonly SpecVersion[] | undefined;
  readonly cases: readonly ConformanceCase[];
  /** The most seconds that a call of the plugin may take. */
  readonly seconds: number;
  readonly json: boolean;
  readonly junit: string | undefined;
}

/** A wrong command line, or a machine that cannot run the cases. The message is one line: what is wrong, what to do. */
export class UsageError extends Error {}

export const help = `Tries out a CNI plugin against the rules of the CNI specification, 0.3.0 to 1.1.0. It needs root.

  cni-conformance --plugin FILE --config FILE

  --plugin FILE    the executable. The plugins that it runs, such as IPAM plugins, must be in the same folder
  --config FILE    its plugin configuration as JSON: one entry of a network configuration list
  --role ROLE      ${roles.join(" or ")}. Without it: interface if the configuration has ipam, chained if not
  --spec VERSIONS  versions of the specification, such as 0.4.0,1.1.0. Without it: what the plugin lists for VERSION
  --case NAME      only this case. A failed case prints the command that repeats it
  --seconds N      the most seconds that a call of the plugin may take. Without it: 60
  --json           print the results as JSON
  --junit FILE     also write the results as JUnit XML
  --version        print the version
  --help           print this text

The plugin runs in private network, mount and process namespaces. They have an interface uplink0, which a configuration
can name as the master, and cannot change files of this machine. The exit code is 1 if a case fails. It is 2, with one
line, if no case was run (the command line is wrong, this machine lacks something, or the first call does not end), or if
the file of --junit cannot be written.`;

/** The programs that the cases need, and the packages with them. */
const programs = { unshare: "util-linux", mount: "mount", ip: "iproute2" };

/** Parses the command line; `help` or `version` if it asks for that. */
export function parseOptions(args: readonly string[]): Options | "help" | "version" {
  const given = valuesOf(args);
  if (given.help) return "help";
  if (given.version) return "version";
  const { plugin, config: configFile, role, junit, json = false } = given;
  if (plugin === undefined || configFile === undefined) {
    throw new UsageError("give --plugin FILE and --config FILE. --help shows the options");
  }
  const [file, config] = [executableOf(plugin), readConfig(configFile)];
  checkIpam(config, path.dirname(file));
  const target = { ...describedBy(config), ...(role === undefined ? {} : { role: oneOf("--role", role, roles) }) };
  const spec = given.spec === undefined ? undefined : specOf(given.spec);
  const cases = given.case === undefined ? conformanceCases : [caseOf(given.case, target)];
  checkMachine();
  if (junit !== undefined) checkWritable(junit);
  const more = Object.entries({ role, seconds: given.seconds }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const words = ["--plugin", plugin, "--config", configFile, ...more];
  return { words, plugin: file, target, spec, cases, seconds: secondsOf(given.seconds), json, junit };
}

function valuesOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    ...{ plugin: text, config: text, role: text, spec: text, case: text, seconds: text, junit: text },
    ...{ json: flag, version: flag, help: flag },
  };
  const { values, tokens } = inOneLine(() => parseArgs({ args: [...args], options, tokens: true }));
  const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
  // parseArgs takes the last one, so that the others would seem to have passed.
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`give --${twice} only once`);
  return values;
}

function inOneLine<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(`${firstLine(error)}. --help shows the options`);
  }
}

function executableOf(plugin: string): string {
  const file = path.resolve(plugin);
  if (!existsSync(file)) throw new UsageError(`--plugin ${plugin}: there is no such file`);
  const stat = statSync(file);
  if (!stat.isFile()) throw new UsageError(`--plugin ${plugin}: it is not a file. Give the executable itself`);
  if ((stat.mode & 0o111) === 0) throw new UsageError(`--plugin ${plugin}: it is not executable. Run chmod +x`);
  return file;
}

function readConfig(file: string): Config {
  const config = parsed(file);
  if (!isObject(config)) throw new UsageError(`--config ${file}: it is not a JSON object`);
  if ("plugins" in config) {
    throw new UsageError(`--config ${file}: it is a network configuration list. Give one entry of its "plugins"`);
  }
  checkHints(file, config.conformance ?? {});
  return config;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--config ${file}: ${firstLine(error)}`);
  }
}

function checkHints(file: string, hints: unknown): void {
  if (!isObject(hints)) throw new UsageError(`--config ${file}: "conformance" is not an object`);
  for (const [key, value] of Object.entries(hints)) {
    const type = Object.hasOwn(hintTypes, key) ? hintTypes[key as keyof typeof hintTypes] : undefined;
    if (type === undefined) {
      const known = Object.keys(hintTypes).join(", ");
      throw new UsageError(`--config ${file}: "conformance" has no key "${key}". It has ${known}`);
    }
    const isRight = type === "list" ? Array.isArray(value) : typeof value === type && !Array.isArray(value);
    if (!isRight || value === null)
      throw new UsageError(`--config ${file}: "conformance.${key}" must be of type ${type}`);
  }
}

function isObject(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without its IPAM plugin, nearly every case fails, each with the same message. */
function checkIpam({ ipam }: Config, folder: string): void {
  const type = isObject(ipam) ? ipam.type : undefined;
  if (typeof type === "string" && !existsSync(path.join(folder, type))) {
    throw new UsageError(`the IPAM plugin ${type} is not in ${folder}. Put it next to the plugin`);
  }
}

/** Parses a list of versions of the specification. */
export function specOf(text: string): SpecVersion[] {
  const wanted = text.split(",").map((version) => oneOf("--spec", version, specVersions));
  return specVersions.filter((version) => wanted.includes(version));
}

/** Returns the text if it is one of the known values of an option. */
export function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new UsageError(`${option} ${text}: it must be one of ${known.join(", ")}`);
  return found;
}

function caseOf(name: string, target: Options["target"]): ConformanceCase {
  const found = conformanceCases.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(`--case ${name}: there is no such case. --json lists the cases`);
  if (!concerns(found, target)) throw new UsageError(`--case ${name}: this case is not about such a plugin`);
  return found;
}

function secondsOf(text = "60"): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`--seconds ${text}: it must be a number from 1 to 99999`);
  return Number(text);
}

/** Throws if this user cannot make private namespaces. */
export function checkRoot(): void {
  if (process.getuid?.() !== 0) {
    throw new UsageError("this needs root, for private network namespaces. Run it with sudo");
  }
}

/** Throws if this user or this machine lacks something. */
function checkMachine(): void {
  checkRoot();
  for (const [program, debianPackage] of Object.entries(programs)) {
    if (!isInstalled(program))
      throw new UsageError(`this needs ${program}, which is not in ${variables.PATH}. Install ${debianPackage}`);
  }
}

/** Says whether the private host finds a program. */
export function isInstalled(program: string): boolean {
  return variables.PATH.split(":").some((folder) => existsSync(path.join(folder, program)));
}

/**
 * The file is written after a minute of work. A new one does not stay, because an empty file is no XML. An old one is
 * emptied, because its results would look like those of this run.
 */
function checkWritable(junit: string): void {
  const isNew = !existsSync(junit);
  try {
    if (!isNew) accessSync(junit, constants.W_OK);
    writeFileSync(junit, "");
    if (isNew) rmSync(junit);
  } catch (error) {
    throw new UsageError(`--junit ${junit}: ${firstLine(error)}`);
  }
}

/** The first line of an error's message, so that a user gets one line. */
export function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line;
}
