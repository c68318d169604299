import type { JsonObject } from "../../shared/protocol/json.ts";
import { inVersion } from "../live/libcni.ts";
import { expectTypes } from "./decode.ts";
import type { Machine } from "./machine.ts";
import { type PluginCall, PluginError, type Steps } from "./plugin.ts";
import { plugins } from "./plugins.ts";

/** Returns the work of a plugin's verb. */
export function stepsOf(machine: Machine, type: string, call: PluginCall): Steps<JsonObject | undefined> {
  const plugin = plugins[type];
  if (!plugin) throw new Error(`no plugin ${type}`);
  const verb = call.env.CNI_COMMAND;
  return (function* () {
    expectVersion(type, call);
    expectTypes(type, call);
    if (verb === "ADD") return versioned(yield* plugin.add(machine, call), call.config.cniVersion);
    if (verb === "CHECK") plugin.check(machine, call);
    if (verb === "DEL") yield* plugin.del(machine, call);
    return undefined;
  })();
}

const versions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];
/** The first versions of plugins that do not speak all of them. */
const firstVersions: Readonly<Record<string, string>> = { bandwidth: "0.3.0", firewall: "0.4.0", vrf: "0.3.1" };

/** A plugin refuses a version that it does not speak, and CHECK before 0.4.0 (cni/pkg/skel). */
function expectVersion(type: string, { env, config: { cniVersion = "0.1.0" } }: PluginCall): void {
  const spoken = versions.slice(versions.indexOf(firstVersions[type] ?? "0.1.0"));
  const version = String(cniVersion) || "0.1.0";
  if (!spoken.includes(version)) {
    const list = spoken.map((one) => `"${one}"`).join(" ");
    throw new PluginError(`incompatible CNI versions; config is "${version}", plugin supports [${list}]`);
  }
  if (env.CNI_COMMAND === "CHECK" && versions.indexOf(version) < 4) {
    throw new PluginError("config version does not allow CHECK");
  }
}

/** A plugin prints its result in the version of its configuration. */
function versioned(result: JsonObject, cniVersion: unknown): JsonObject {
  return typeof cniVersion === "string" ? { ...inVersion(result, cniVersion) } : result;
}

/** What a plugin prints about its error. */
export function errorResult(error: unknown): JsonObject {
  if (!(error instanceof PluginError)) throw error;
  const [msg, ...details] = error.message.split("; config is");
  const more = details.length > 0 ? { details: `config is${details.join("")}` } : {};
  return { cniVersion: "1.0.0", code: details.length > 0 ? 1 : 999, msg, ...more };
}
