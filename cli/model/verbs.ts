import type { JsonObject } from "../../shared/protocol/json.ts";
import { type CniResult, isUnchainedVersion, supportedVersions } from "../../shared/protocol/result.ts";
import { firstVersions } from "../lists/list.ts";
import { inVersion } from "../live/libcni.ts";
import { expectTypes } from "./decode.ts";
import type { Machine } from "./machine.ts";
import { type Plugin, type PluginCall, PluginError, type Steps } from "./plugin.ts";

/** A call, and the plugin that it is for. */
export interface CallOf {
  readonly type: string;
  readonly plugin: Plugin | undefined;
  readonly call: PluginCall;
}

/** Returns the work of a plugin's verb. */
export function* stepsOf(machine: Machine, { type, plugin, call }: CallOf): Steps<JsonObject | undefined> {
  if (!plugin) throw new Error(`no plugin ${type}`);
  const verb = call.env.CNI_COMMAND;
  expectVersion(type, call);
  expectTypes(type, call);
  if (verb === "ADD") return versioned(yield* plugin.add(machine, call), call.config.cniVersion);
  if (verb === "CHECK") plugin.check(machine, call);
  if (verb === "DEL") yield* plugin.del(machine, call);
  return undefined;
}

/** Runs a plugin to its end. Returns its exit code, and what it prints. */
export function runToEnd(machine: Machine, of: CallOf): { exitCode: number; output: JsonObject | undefined } {
  machine.plugin = of.type;
  try {
    const steps = stepsOf(machine, of);
    for (;;) {
      const step = steps.next();
      if (step.done) return { exitCode: 0, output: step.value ?? undefined };
    }
  } catch (error) {
    return { exitCode: 1, output: errorResult(error) };
  } finally {
    machine.plugin = "";
  }
}

/** A plugin refuses a version that it does not speak, and CHECK before 0.4.0 (cni/pkg/skel). */
function expectVersion(type: string, { env, config: { cniVersion = "0.1.0" } }: PluginCall): void {
  const spoken = supportedVersions.slice(supportedVersions.indexOf(firstVersions.get(type) ?? "0.1.0"));
  const version = String(cniVersion) || "0.1.0";
  if (!spoken.includes(version)) {
    const list = spoken.map((one) => `"${one}"`).join(" ");
    throw new PluginError(`incompatible CNI versions; config is "${version}", plugin supports [${list}]`);
  }
  if (env.CNI_COMMAND === "CHECK" && supportedVersions.indexOf(version) < 4) {
    throw new PluginError("config version does not allow CHECK");
  }
}

/** A plugin prints its result in the version of its configuration. */
function versioned(result: JsonObject, cniVersion: unknown): JsonObject {
  if (isUnchainedVersion(String(cniVersion ?? "0.1.0"))) return unchained(result, String(cniVersion ?? "0.1.0"));
  return typeof cniVersion === "string" ? { ...inVersion(result, cniVersion) } : result;
}

/** A result of 0.1.0 or 0.2.0 has an address of each family, and no interfaces (types/020, Result). */
function unchained({ ips, routes, dns }: CniResult, cniVersion: string): JsonObject {
  if (!ips?.length) throw new PluginError("cannot convert: no valid IP addresses");
  const entries = ips.map(({ address, gateway }) => {
    const isIpv4 = !address.includes(":");
    const own = (routes ?? []).filter(({ dst }) => isIpv4 !== String(dst).includes(":"));
    const more = { ...(gateway !== undefined && { gateway }), ...(own.length > 0 && { routes: own }) };
    return [isIpv4 ? "ip4" : "ip6", { ip: address, ...more }];
  });
  return { cniVersion, ...Object.fromEntries(entries), ...(dns !== undefined && { dns }) };
}

/** What a plugin prints about its error. */
export function errorResult(error: unknown): JsonObject {
  if (!(error instanceof PluginError)) throw error;
  const [msg, ...details] = error.message.split("; config is");
  const more = details.length > 0 ? { details: `config is${details.join("")}` } : {};
  return { cniVersion: "1.0.0", code: details.length > 0 ? 1 : 999, msg, ...more };
}
