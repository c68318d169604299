import * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { type PluginCall, PluginError } from "./plugin.ts";

/** The Go structs that plugins decode their configurations into, with the words before Go's own. */
const structs: Readonly<Record<string, readonly [struct: string, words: string]>> = {
  portmap: ["PortMapConf", "failed to parse config: failed to parse network configuration"],
  bandwidth: ["PluginConf", "failed to parse network configuration"],
  sbr: ["PluginConf", "failed to parse network configuration"],
  tuning: ["TuningConf", "failed to load netconf"],
  firewall: ["FirewallNetConf", "failed to load netconf"],
};

/** Fails if a key of a configuration has a value of another type than its plugin's: Go converts none. */
export function expectTypes(type: string, { env, config }: PluginCall): void {
  const kinds = kindsOf(type);
  for (const [key, value] of Object.entries(config)) {
    const kind = kinds.get(key);
    const problem = kind === undefined || value === null ? undefined : mismatch(value, kind);
    if (problem === undefined) continue;
    const [struct, words] = structs[type] ?? ["NetConf", "failed to load netconf"];
    // ADD of tuning looks at its sysctls first (validateSysctlConflict).
    if (type === "tuning" && key === "sysctl" && env.CNI_COMMAND === "ADD") {
      throw new PluginError(decodeProblem(problem, "sysctlCheck.sysctl"));
    }
    throw new PluginError(`${words}: ${decodeProblem(problem, `${struct}.${key}`)}`);
  }
}

/** The JSON type of a value, and the Go type of its place. */
type Mismatch = readonly [value: string, place: string];

/** Writes Go's error for a value that does not fit into its field (encoding/json, UnmarshalTypeError). */
export function decodeProblem([value, place]: Mismatch, field: string): string {
  return `json: cannot unmarshal ${value} into Go struct field ${field} of type ${place}`;
}

function mismatch(value: unknown, kind: string): Mismatch | undefined {
  const inner = /^map\[string\](.*)/.exec(kind)?.[1];
  if (inner !== undefined && isJsonObject(value)) {
    return Object.values(value)
      .map((one) => mismatch(one, inner))
      .find((one) => one !== undefined);
  }
  if (kind.startsWith("[]") && Array.isArray(value)) return undefined;
  if (kind.startsWith("types.") && isJsonObject(value)) return undefined;
  const type = jsonType(value);
  const fitting: Readonly<Record<string, string>> = { bool: "bool", int: "number", string: "string" };
  if (kind === "int" && type === "number" && !Number.isInteger(value)) return [`number ${value}`, kind];
  return fitting[kind] === type ? undefined : [type, kind];
}

/** The JSON type of a value, as Go names it. */
function jsonType(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "array";
  return isJsonObject(value) ? "object" : typeof value;
}

/** The keys that libcni itself decodes. */
const loaded: Readonly<Record<string, string>> = {
  ...{ cniVersion: "string", name: "string", type: "string" },
  ...{ capabilities: "map[string]bool", ipam: "types.IPAM", dns: "types.DNS" },
};

/** Returns why libcni does not load a plugin's configuration (libcni/conf.go, ConfFromBytes). */
export function loadProblem(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return `json: cannot unmarshal ${jsonType(entry)} into Go value of type types.PluginConf`;
  for (const [key, kind] of Object.entries(loaded)) {
    const value = entry[key];
    const problem = value === undefined || value === null ? undefined : mismatch(value, kind);
    if (problem) return decodeProblem(problem, `PluginConf.${key}`);
  }
  return entry.type ? undefined : "missing 'type'";
}

const known = new Map<string, ReadonlyMap<string, string>>();

/** The Go types of a plugin's own keys. */
function kindsOf(type: string): ReadonlyMap<string, string> {
  const { shape = {} } = (pluginKeys as Readonly<Record<string, z.ZodObject>>)[type] ?? {};
  const kinds =
    known.get(type) ??
    new Map(
      Object.entries(shape).flatMap(([key, schema]) => {
        const kind = kindOf(schema);
        return kind === undefined ? [] : [[key, kind] as const];
      }),
    );
  known.set(type, kinds);
  return kinds;
}

/** Undefined for a value that has keys of its own. */
function kindOf(schema: z.core.$ZodType): string | undefined {
  if (schema instanceof z.ZodOptional) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return "bool";
  if (schema instanceof z.ZodNumber) return "int";
  if (schema instanceof z.ZodRecord) return `map[string]${kindOf(schema.valueType)}`;
  if (schema instanceof z.ZodArray) return "[]";
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum ? "string" : undefined;
}
