import type { Host } from "./host/host.ts";
import { type JsonObject, parseJsonObject } from "./protocol/json.ts";
import { newestVersion, supportedVersions } from "./protocol/versions.ts";

/**
 * What a call without CNI_COMMAND prints. Nomad's fingerprint takes the first word that is a version for the plugin's, so
 * the project's own comes first.
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

/** The wrapper's own answer to VERSION (SPEC.md, section 5 "VERSION Success"); `stdin` has the version in use. */
export function versionResult(stdin: string | undefined): JsonObject {
  return { cniVersion: askedVersion(stdin), supportedVersions };
}

// A probe may send nothing at all.
function askedVersion(stdin = ""): unknown {
  return parseJsonObject(stdin)?.cniVersion || newestVersion;
}
