import * as z from "zod";
import { networkNameRule } from "../../shared/protocol/names.ts";
import type { WrapperConfiguration } from "../../shared/protocol/shapes.ts";

const ports = z.array(z.union([z.int().min(1).max(65535), z.string().regex(/^\d+(?:-\d+)?$/)]));

/** The keys of the `wrapper` block, for editors. The wrappers do not load this file. */
export const wrapperBlock = z
  .strictObject({
    ifName: z
      .string()
      .min(1)
      .max(15)
      .meta({ examples: ["eth1"] })
      .describe("Name of the container interface. Default: the runtime's (CNI_IFNAME), usually eth0."),
    delegate: z
      .string()
      .regex(/^[^/\\]+$/)
      .describe("Type of the real plugin. Default: the executable's name without -wrapper."),
    role: z
      .enum(["creator", "meta"])
      .describe("creator: the plugin creates an interface. meta: it acts on one. For plugins without a profile only."),
    network: z
      .string()
      .regex(networkNameRule)
      .describe(
        "Name of the network that the plugin sees. Default: <name>-<ifName> if ifName is set, or else the list's name.",
      ),
    args: z
      .union([z.literal("keep"), z.record(z.string(), z.string().min(1))])
      .meta({ examples: ["keep", { IP: "ETH1_IP" }] })
      .describe(
        'Which requests of CNI_ARGS the plugin gets. "keep": all. An object maps its keys to the runtime\'s. Default: a renamed interface does not get IP and MAC.',
      ),
    ports: z
      .strictObject({
        only: ports.describe("Only these ports. A range is text, such as 8000-8999."),
        except: ports.describe("All ports but these. A range is text, such as 8000-8999."),
      })
      .partial()
      .meta({ minProperties: 1, maxProperties: 1 })
      .describe("The port mappings that the plugin gets, by container port. Default: all."),
    recover: z
      .enum(["own", "always", "never"])
      .describe(
        "Which earlier ADD of this interface the plugin cleans up after. own: one that failed in this namespace, or is of an earlier boot or a namespace that is gone. always: any. never: none. Default: own.",
      ),
    slaac: z
      .strictObject({
        wait: z
          .string()
          .regex(/^(?:0?[1-9]|[12]\d|30)s$/)
          .meta({ examples: ["5s"] })
          .describe("How long ADD waits, from 1s to 30s. Default: 5s."),
        required: z.boolean().describe("Whether ADD fails without an address. Default: false."),
      })
      .partial()
      .describe(
        "After ADD, the interface's IPv6 address from router advertisements is awaited and goes into the result. Default: it is not.",
      ),
    jq: z
      .string()
      .regex(/\S/)
      .max(16384)
      .describe("A jq program that rewrites the plugin's configuration. Node flavor only."),
    log: z
      .strictObject({
        file: z
          .string()
          .regex(/^\//)
          .meta({ examples: ["/var/log/cni-wrappers.log"] })
          .describe("Absolute path of the file."),
        level: z
          .enum(["error", "warn", "info", "debug"])
          .describe("The least severe messages that are logged. Default: info."),
      })
      .partial()
      .describe("Log of the calls. Default: off, or CNI_WRAPPERS_LOG and CNI_WRAPPERS_LOG_LEVEL."),
  } satisfies Readonly<Record<keyof WrapperConfiguration, z.ZodType>>)
  .partial()
  .describe("Tells the wrapper which interface the plugin makes or acts on. The plugin does not get this block.");
