import type { Host } from "./host/host.ts";
import { supportedVersions } from "./protocol/versions.ts";

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
    `Flavor: ${release.flavor}`,
    "",
  ].join("\n");
}
