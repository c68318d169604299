import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Lab } from "../support/lab.ts";

/** A `cni_path` in which the scripts come before the plugins. */
export const scriptPath = "/opt/cni/bin/script:/opt/cni/bin";

const directories = {
  /** These scripts split names and results and narrow nothing. */
  "merge-only": path.join(import.meta.dirname, "merge-only"),
  /** The workaround of hashicorp/nomad#25510. */
  workaround: path.join(import.meta.dirname, "../support/workaround"),
};

/**
 * Installs scripts before the plugins, under the plugins' names. A script looks for its plugin in the directory above
 * its own.
 */
export function installScripts(kind: keyof typeof directories): (lab: Lab) => Promise<void> {
  return async (lab) => {
    for (const name of readdirSync(directories[kind])) {
      const text = readFileSync(path.join(directories[kind], name), "utf8");
      await lab.writeScript(`${Lab.pluginPath}/script/${name}`, text);
    }
  };
}

/** Installs a plugin for the end of a list. It fails the very first ADD. After that it passes its input on. */
export function installFlaky(lab: Lab): Promise<void> {
  return lab.writeScript(
    `${Lab.pluginPath}/flaky`,
    `#!/bin/sh
[ "$CNI_COMMAND" ] || { echo "CNI flaky plugin v1.0.0" >&2; exit 0; }
[ "$CNI_COMMAND" = ADD ] || exit 0
if mkdir /run/lab/flaked 2>/dev/null; then
  echo '{"cniVersion": "1.0.0", "code": 11, "msg": "not now"}'
  exit 1
fi
exec jq --compact-output .prevResult
`,
  );
}
