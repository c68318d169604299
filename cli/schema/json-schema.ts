import * as z from "zod";
import { pluginKeys } from "../../plugins/keys.ts";
import { listKeys } from "./list.ts";
import { commonKeys, ipamKeys } from "./plugin.ts";
import { wrapperBlock } from "./wrapper.ts";

/** A JSON Schema, or a part of one. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Makes the JSON Schema (draft-07) of a list. Plugins ignore other keys, so they are allowed, but not in the `wrapper` block. */
export function listJsonSchema(): JsonSchema {
  const { properties, ...rest } = jsonSchemaOf(listKeys);
  const plugins = { ...(properties as Record<string, JsonSchema>).plugins, items: ref("plugin") };
  const known = Object.entries(pluginKeys).map(([type, keys]) => [type, { title: type, ...jsonSchemaOf(keys) }]);
  const ipam = Object.entries(ipamKeys).map(([type, keys]) => [`ipam-${type}`, { title: type, ...jsonSchemaOf(keys) }]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "CNI network configuration list",
    description:
      "Plugins that attach a container to a network, with the keys of the reference plugins and of cni-wrappers.",
    ...rest,
    properties: { ...(properties as JsonSchema), plugins },
    definitions: {
      plugin: pluginJsonSchema(),
      wrapper: { title: "wrapper", ...jsonSchemaOf(wrapperBlock) },
      ipam: ipamJsonSchema(),
      ...Object.fromEntries([...known, ...ipam]),
    },
  };
}

function pluginJsonSchema(): JsonSchema {
  const { properties, ...rest } = jsonSchemaOf(commonKeys);
  const { type, ...others } = properties as Record<string, JsonSchema>;
  const types = Object.keys(pluginKeys).flatMap((name) => [`${name}-wrapper`, name]);
  return {
    title: "plugin configuration",
    ...rest,
    required: ["type"],
    properties: { type: { ...type, examples: types }, wrapper: ref("wrapper"), ipam: ref("ipam"), ...others },
    allOf: Object.keys(pluginKeys).map((name) => when(isDelegate(name), name)),
  };
}

/** A plugin configuration is for the plugin that its `delegate` or else its `type` names. */
function isDelegate(name: string): JsonSchema {
  const names = { properties: { type: { enum: [`${name}-wrapper`, name] } }, required: ["type"] };
  const delegates = (delegate: JsonSchema) => ({
    properties: { wrapper: { type: "object", properties: { delegate }, required: ["delegate"] } },
    required: ["wrapper"],
  });
  return { anyOf: [{ ...names, not: delegates({}) }, delegates({ const: name })] };
}

function ipamJsonSchema(): JsonSchema {
  const types = Object.keys(ipamKeys);
  return {
    title: "ipam",
    description: "The plugin that gives the interface its addresses, and its keys.",
    type: "object",
    properties: { type: { description: "The IPAM plugin.", type: "string", examples: types } },
    allOf: types.map((type) => when({ properties: { type: { const: type } }, required: ["type"] }, `ipam-${type}`)),
  };
}

function when(condition: JsonSchema, definition: string): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: ref(definition) };
}

function ref(definition: string): JsonSchema {
  return { $ref: `#/definitions/${definition}` };
}

/** Returns a zod schema as a part of a JSON Schema (draft-07). */
function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input", override: withoutLimits });
  return rest;
}

// A whole number has no other limits than those that its schema names.
function withoutLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
