import type { Host } from "./host/host.ts";
import { type JsonObject, parseJsonObject } from "./protocol/json.ts";
import { newestVersion, supportedVersions } from "./protocol/versions.ts";

/**
 * Returns the text for a call without CNI_COMMAND. Nomad's fingerprint takes the first version in it as the plugin's version,
 * so the project's own version comes first.
 */
export function aboutText({ calledAs, release }: Host): string {
  const name = calledAs.slice(calledAs.lastIndexOf("/") + 1);
  return [
    `CNI ${name} plugin v${release.version}`,
    `CNI protocol versions supported: ${supportedVersions.join(", ")}`,
    `Built from commit ${release.commit}`,
    "",
  ].join("\n");
}

/** Returns the wrapper's own answer to VERSION (SPEC.md, section 5 "VERSION Success"). It repeats the version in `stdin`. */
export function versionResult(stdin: string | undefined): JsonObject {
  return { cniVersion: askedVersion(stdin), supportedVersions };
}

// A probe may leave stdin empty.
function askedVersion(stdin = ""): unknown {
  return parseJsonObject(stdin)?.cniVersion || newestVersion;
}
