import { networkNameRule } from "../../shared/protocol/names.ts";
import type { WrapperConfiguration } from "../../shared/protocol/shapes.ts";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const port = {
  anyOf: [
    { type: "integer", minimum: 1, maximum: 65535 },
    { type: "string", pattern: "^\\d+(?:-\\d+)?$" },
  ],
};
const ports = (description: string) => ({ description, type: "array", items: port });

const keys: Readonly<Record<keyof WrapperConfiguration, JsonSchema>> = {
  ifName: {
    ...text,
    description: "Name of the container interface. Default: the runtime's (CNI_IFNAME), usually eth0.",
    minLength: 1,
    maxLength: 15,
    examples: ["eth1"],
  },
  delegate: {
    ...text,
    description: "Type of the real plugin. Default: the executable's name without -wrapper.",
    pattern: "^[^/\\\\]+$",
  },
  role: {
    ...oneOf("creator", "meta"),
    description: "creator: the plugin creates an interface. meta: it acts on one. For plugins without a profile only.",
  },
  network: {
    ...text,
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
    ...oneOf("own", "always", "never"),
    description:
      "Which earlier ADD of this interface the plugin cleans up after. own: one that failed in this namespace, or is of an earlier boot or a namespace that is gone. always: any. never: none. Default: own.",
  },
  jq: {
    ...text,
    description: "A jq program that rewrites the plugin's configuration. Node flavor only.",
    pattern: "\\S",
    maxLength: 16384,
  },
  log: {
    ...closed({
      file: {
        ...text,
        description: "Absolute path of the file.",
        pattern: "^/",
        examples: ["/var/log/cni-wrappers.log"],
      },
      level: {
        ...oneOf("error", "warn", "info", "debug"),
        description: "The least severe messages that are logged. Default: info.",
      },
    }),
    description: "Log of the calls. Default: off, or CNI_WRAPPERS_LOG and CNI_WRAPPERS_LOG_LEVEL.",
  },
};

/** The JSON Schema of the `wrapper` block. The wrappers do not load this file. */
export function wrapperJsonSchema(): JsonSchema {
  return {
    title: "wrapper",
    description: "Tells the wrapper which interface the plugin makes or acts on. The plugin does not get this block.",
    ...closed(keys),
  };
}

function closed(properties: object): JsonSchema {
  return { type: "object", properties, additionalProperties: false };
}

function oneOf(...names: readonly string[]): JsonSchema {
  return { ...text, enum: names };
}
