import * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import { type PluginCall, PluginError } from "./plugin.ts";

/** The Go structs that plugins decode their configurations into, with the words before Go's own, and the type of its numbers. */
const structs = new Map<string, readonly [struct: string, words: string, number?: string]>([
  ["portmap", ["PortMapConf", "failed to parse config: failed to parse network configuration"]],
  ["bandwidth", ["PluginConf.BandwidthEntry", "failed to parse network configuration", "uint64"]],
  ["sbr", ["PluginConf", "failed to parse network configuration"]],
  ["tuning", ["TuningConf", "failed to load netconf"]],
  ["firewall", ["FirewallNetConf", "failed to load netconf"]],
]);

/** Fails if a key of a configuration has a value of another type than its plugin's: Go converts none. */
export function expectTypes(type: string, { env, config }: PluginCall): void {
  const keys: Readonly<Record<string, z.ZodObject>> = pluginKeys;
  const shape = (Object.hasOwn(keys, type) && keys[type]?.shape) || {};
  for (const [key, value] of Object.entries(config)) {
    const kind = Object.hasOwn(shape, key) ? kindOf(shape[key]) : undefined;
    const [struct, words, number = "int"] = structs.get(type) ?? ["NetConf", "failed to load netconf"];
    const problem = kind === undefined ? undefined : mismatch(value, kind === "int" ? number : kind);
    if (problem === undefined) continue;
    // ADD of tuning looks at its sysctls first (validateSysctlConflict).
    if (key === "sysctl" && env.CNI_COMMAND === "ADD") {
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

/** Says that a value is not of a Go type; undefined if it is. Null fits each, and so does a value that is missing. */
export function mismatch(value: unknown, kind: string): Mismatch | undefined {
  if (value === undefined || value === null) return undefined;
  const type = jsonType(value);
  const [, shape, inner] = /^(\[\]|map\[string\])\*?(.*)/.exec(kind) ?? [];
  if (inner !== undefined && type === (shape === "[]" ? "array" : "object")) {
    return Object.values(value as object)
      .map((one) => mismatch(one, inner))
      .find((one) => one !== undefined);
  }
  const numbers: Readonly<Record<string, string>> = { int: "number", uint64: "number" };
  if ((numbers[kind] ?? (/^\w+\./.test(kind) ? "object" : kind)) !== type) return [type, kind];
  const isOther = !Number.isInteger(value) || (kind === "uint64" && Number(value) < 0);
  return type === "number" && isOther ? [`number ${value}`, kind] : undefined;
}

/** Returns the JSON type of a value, as Go names it. */
export function jsonType(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The keys that libcni itself decodes. */
const loaded: Readonly<Record<string, string>> = {
  ...{ cniVersion: "string", name: "string", type: "string" },
  ...{ capabilities: "map[string]bool", ipam: "types.IPAM", dns: "types.DNS" },
};

const dnsFields = { nameservers: "[]string", domain: "string", search: "[]string", options: "[]string" };

/** Returns why libcni does not load a plugin's configuration (libcni/conf.go, ConfFromBytes). */
export function loadProblem(entry: unknown): string | undefined {
  if (entry === null) return "missing 'type'";
  if (!isJsonObject(entry)) return `json: cannot unmarshal ${jsonType(entry)} into Go value of type types.PluginConf`;
  const problem = fieldProblem(entry, loaded, "PluginConf") ?? fieldProblem(objectOf(entry.dns), dnsFields, "DNS.dns");
  return problem ?? (entry.type ? undefined : "missing 'type'");
}

function fieldProblem(value: JsonObject, fields: Readonly<Record<string, string>>, struct: string): string | undefined {
  for (const [key, kind] of Object.entries(fields)) {
    const problem = mismatch(value[key], kind);
    if (problem) return decodeProblem(problem, `${struct}.${key}`);
  }
  return undefined;
}

/** The Go type of a key's value. Undefined for one that has keys of its own, and for a key that is none of the plugin's. */
function kindOf(schema: z.core.$ZodType | undefined): string | undefined {
  if (schema instanceof z.ZodOptional) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return "bool";
  if (schema instanceof z.ZodNumber) return "int";
  if (schema instanceof z.ZodRecord) return `map[string]${kindOf(schema.valueType)}`;
  if (schema instanceof z.ZodArray) return `[]${kindOf(schema.element as z.core.$ZodType) ?? "*main.VlanTrunk"}`;
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum ? "string" : undefined;
}
