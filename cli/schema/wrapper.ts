import type * as z from "zod";
import { networkNameRule } from "../../shared/protocol/names.ts";
import { logSchema, type WrapperConfiguration, wrapperSchema } from "../../shared/protocol/schema.ts";
import { type JsonSchema, jsonSchemaOf } from "./from-zod.ts";

/** More of a key than its zod schema says: a description, and the shape of a value that the schema checks by a function. */
type Words = Readonly<Record<string, unknown>>;

const port = {
  anyOf: [
    { type: "integer", minimum: 1, maximum: 65535 },
    { type: "string", pattern: "^\\d+(?:-\\d+)?$" },
  ],
};
const ports = (description: string) => ({ description, type: "array", items: port });

const words: Readonly<Record<keyof WrapperConfiguration, Words>> = {
  ifName: {
    description: "Name of the container interface. Default: the runtime's (CNI_IFNAME), usually eth0.",
    minLength: 1,
    maxLength: 15,
    examples: ["eth1"],
  },
  delegate: {
    description: "Type of the real plugin. Default: the executable's name without -wrapper.",
    pattern: "^[^/\\\\]+$",
  },
  role: {
    description: "creator: the plugin creates an interface. meta: it acts on one. For plugins without a profile only.",
  },
  network: {
    description:
      "Name of the network that the plugin sees. Default: <name>-<ifName> if ifName is set, or else the list's name.",
    pattern: networkNameRule.source,
  },
  args: {
    description:
      'Which requests of CNI_ARGS the plugin gets. "keep": all. An object maps its keys to the runtime\'s. Default: a renamed interface does not get IP and MAC.',
    anyOf: [{ const: "keep" }, { type: "object", additionalProperties: { type: "string", minLength: 1 } }],
    examples: ["keep", { IP: "ETH1_IP" }],
  },
  ports: {
    description: "The port mappings that the plugin gets, by container port. Default: all.",
    type: "object",
    properties: {
      only: ports("Only these ports. A range is text, such as 8000-8999."),
      except: ports("All ports but these. A range is text, such as 8000-8999."),
    },
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  },
  recover: {
    description:
      "Which earlier ADD of this interface the plugin cleans up after. own: one that failed in this namespace, or is of an earlier boot or a namespace that is gone. always: any. never: none. Default: own.",
  },
  jq: {
    description: "A jq program that rewrites the plugin's configuration. Node flavor only.",
    pattern: "\\S",
    maxLength: 16384,
  },
  log: { description: "Log of the calls. Default: off, or CNI_WRAPPERS_LOG and CNI_WRAPPERS_LOG_LEVEL." },
};

const logWords: Readonly<Record<keyof NonNullable<WrapperConfiguration["log"]>, Words>> = {
  file: { description: "Absolute path of the file.", pattern: "^/", examples: ["/var/log/cni-wrappers.log"] },
  level: { description: "The least severe messages that are logged. Default: info." },
};

/** The JSON Schema of the `wrapper` block, from the schema by which the wrappers check it. They do not load this file. */
export function wrapperJsonSchema(): JsonSchema {
  const { shape } = wrapperSchema();
  const log = described(logSchema().shape, logWords);
  const properties = described(shape, { ...words, log: { ...words.log, ...closed(log) } });
  return {
    title: "wrapper",
    description: "Tells the wrapper which interface the plugin makes or acts on. The plugin does not get this block.",
    ...closed(properties),
  };
}

function closed(properties: object): JsonSchema {
  return { type: "object", properties, additionalProperties: false };
}

function described(shape: Readonly<Record<string, z.core.$ZodType>>, words: Readonly<Record<string, Words>>): object {
  return Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => [key, { ...jsonSchemaOf(schema), ...words[key] }]),
  );
}
