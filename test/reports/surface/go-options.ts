import { readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { newestPlugins } from "../../support/go.ts";
import type { Owner } from "./case.ts";

/** The version of the plugins whose options are compared. */
export const surfaceVersion = newestPlugins;

interface Field {
  readonly name: string;
  readonly type: string;
  readonly tag: string | undefined;
  /** The fields of an inline struct. */
  readonly inner: readonly Field[] | undefined;
}

/** The struct types of one Go package by name, and the types that are lists or aliases of them. */
interface GoPackage {
  readonly structs: ReadonlyMap<string, readonly Field[]>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** The types of each owner's configuration and CNI_ARGS, in the plugins' module. */
const sources: Record<Owner, { readonly file: string; readonly config: string; readonly args: string }> = {
  bridge: { file: "plugins/main/bridge/bridge.go", config: "NetConf", args: "MacEnvArgs" },
  macvlan: { file: "plugins/main/macvlan/macvlan.go", config: "NetConf", args: "MacEnvArgs" },
  "host-local": { file: "plugins/ipam/host-local/backend/allocator/config.go", config: "Net", args: "IPAMEnvArgs" },
  static: { file: "plugins/ipam/static/main.go", config: "Net", args: "IPAMEnvArgs" },
};

/** The structs of `types` that marshal themselves through another struct, which has the tags. */
const marshalledAs = new Map([["Route", "route"]]);

/** Reads every option of a plugin: from the json tags of its Go structs, and for CNI_ARGS from the field names. */
export async function goOptions(owner: Owner): Promise<string[]> {
  const { file, config, args } = sources[owner];
  const plugin = parseGo(await readFile(path.join(await moduleDirectory("plugins"), file), "utf8"));
  const types = await typesPackage();
  const ofArgs = [...(plugin.structs.get(args) ?? []), ...(types.structs.get("CommonArgs") ?? [])];
  return [
    ...optionsOfType(plugin, types, config),
    ...ofArgs.filter(({ name }) => name !== "").map(({ name }) => `CNI_ARGS.${name}`),
  ];
}

async function typesPackage(): Promise<GoPackage> {
  const directory = path.join(await moduleDirectory("cni"), "pkg/types");
  const texts = ["types.go", "args.go"].map((file) => readFile(path.join(directory, file), "utf8"));
  return parseGo((await Promise.all(texts)).join("\n"));
}

async function moduleDirectory(name: string): Promise<string> {
  const cwd = path.resolve(import.meta.dirname, "../../support/plugins", surfaceVersion);
  const { stdout } = await execa("go", ["list", "-m", "-f", "{{.Dir}}", `github.com/containernetworking/${name}`], {
    cwd,
  });
  return stdout;
}

/** The struct types of a file formatted by gofmt: one field a line, and an inline struct ends with `}`. */
function parseGo(source: string): GoPackage {
  const structs = new Map<string, readonly Field[]>();
  const aliases = new Map<string, string>();
  const lines = source.split("\n").map((line) => line.replace(/\/\/.*$/, "").trim());
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, struct] = /^type (\w+) struct \{$/.exec(line) ?? [];
    const [, alias, type] = /^type (\w+) (?:= )?([[\]*\w.]+)$/.exec(line) ?? [];
    if (struct) structs.set(struct, parseFields(lines).fields);
    if (alias && type) aliases.set(alias, type);
  }
  return { structs, aliases };
}

/** Takes the lines up to the end of a struct. The last line may have a tag. */
function parseFields(lines: string[]): { fields: readonly Field[]; tag: string | undefined } {
  const fields: Field[] = [];
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line.startsWith("}")) return { fields, tag: tagOf(line) };
    const [, name = "", type = ""] = /^(\w+)\s+([^\s`]+)/.exec(line) ?? /^()\*?([\w.]+)$/.exec(line) ?? [];
    if (type === "") continue;
    const inPlace = line.endsWith("struct {") ? parseFields(lines) : undefined;
    fields.push({ name, type, tag: inPlace ? inPlace.tag : tagOf(line), inner: inPlace?.fields });
  }
  throw new Error("a struct without an end");
}

function tagOf(line: string): string | undefined {
  const [, tag = "-"] = /`json:"([^",]+)/.exec(line) ?? [];
  return tag === "-" ? undefined : tag;
}

/** The options of these fields as paths. A field that is a struct gives the options in it. */
function optionsOf(own: GoPackage, types: GoPackage, fields: readonly Field[]): string[] {
  return fields.flatMap(({ name, type, tag, inner }) => {
    const within = inner ? optionsOf(own, types, inner) : optionsOfType(own, types, type);
    if (name === "") return within;
    if (tag === undefined) return [];
    return within.length === 0 ? [tag] : within.map((option) => `${tag}.${option}`);
  });
}

/** The options of a struct type, or of a list's elements. Other types have none. */
function optionsOfType(own: GoPackage, types: GoPackage, type: string): string[] {
  const bare = type.replace(/^[[\]*]+/, "");
  const foreign = bare.startsWith("types.");
  const home = foreign ? types : own;
  const name = foreign ? bare.slice("types.".length) : bare;
  const alias = home.aliases.get(name);
  if (alias) return optionsOfType(home, types, alias);
  return optionsOf(home, types, home.structs.get(marshalledAs.get(name) ?? name) ?? []);
}
