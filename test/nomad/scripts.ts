import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Lab } from "../support/lab.ts";

/** The `cni_path` with which plugins are looked for among the scripts first. */
export const scriptPath = "/opt/cni/bin/script:/opt/cni/bin";

const directories = {
  /** Names and results are divided, nothing is narrowed. */
  "merge-only": path.join(import.meta.dirname, "merge-only"),
  /** The workaround of hashicorp/nomad#25510. */
  workaround: path.join(import.meta.dirname, "../support/workaround"),
};

/** Puts scripts before the plugins, by the plugins' names. They look for the plugin in the directory above their own. */
export function installScripts(kind: keyof typeof directories): (lab: Lab) => Promise<void> {
  return async (lab) => {
    await lab.run("mkdir", ["/opt/cni/bin/script"]);
    for (const name of readdirSync(directories[kind])) {
      await installExecutable(lab, `script/${name}`, readFileSync(path.join(directories[kind], name), "utf8"));
    }
  };
}

/** Puts an executable script among the plugins. */
export async function installExecutable(lab: Lab, name: string, text: string): Promise<void> {
  const file = `${"/opt/cni/bin"}/${name}`;
  await lab.writeFile(file, text);
  await lab.run("chmod", ["+x", file]);
}

/** Puts a plugin at the end of lists that fails the first ADD of all, and passes on what it gets from then on. */
export function installFlaky(lab: Lab): Promise<void> {
  return installExecutable(
    lab,
    "flaky",
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
