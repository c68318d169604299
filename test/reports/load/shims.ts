import { rm } from "node:fs/promises";
import { Lab } from "../../support/lab.ts";
import type { Kill, Verb } from "./decisions.ts";

/** A change of an executable: shell commands that run before it. The load must notice each. */
export interface Change {
  readonly executable: string;
  readonly script: string;
}

/** Kills a process that is still the same one after the delay. The mark says so, and it is there before the kill. */
const killer = `
read -r delay <"$order"
rm "$order"
set -- $(cat /proc/$$/stat)
begun=\${22}
(
  sleep "$delay"
  set -- $(cat /proc/$$/stat)
  [ "\${22-}" = "$begun" ] && [ "$3" != Z ] || exit
  echo "$name" >"$mark"
  kill -KILL $$ || rm "$mark"
) </dev/null >/dev/null 2>&1 &
`;

/**
 * Replaces each executable by a script. It follows the orders to kill, and gives wrappers only so much address
 * space. In KiB. Their plugins are not limited.
 */
export async function installShims(lab: Lab, limit: number, change?: Change): Promise<void> {
  await lab.run("mkdir", ["-p", "/run/lab/orders", "/run/lab/marks"]);
  await lab.writeFile("/run/lab/killer", killer);
  const [wrappers, plugins] = [await lab.readdir("/run/lab/wrappers"), await lab.readdir("/run/lab/plugins")];
  const names = [...wrappers.filter((name) => name.endsWith("-wrapper")), ...plugins];
  for (const name of names) {
    const isWrapper = wrappers.includes(name);
    const real = `/run/lab/${isWrapper ? "wrappers" : "plugins"}/${name}`;
    const changed = change?.executable === name ? change.script : "";
    const text = shim({ name, real, limit: isWrapper ? `${limit}` : "unlimited", changed });
    await lab.writeScript(`${Lab.pluginPath}/${name}`, text);
  }
}

function shim({ name, real, limit, changed }: Record<"name" | "real" | "limit" | "changed", string>): string {
  return `#!/bin/sh
order=/run/lab/orders/$CNI_CONTAINERID-$CNI_COMMAND-${name}
mark=/run/lab/marks/$CNI_CONTAINERID-$CNI_COMMAND
name=${name}
[ ! -e "$order" ] || . /run/lab/killer
ulimit -S -v ${limit}
${changed}
exec ${real}
`;
}

/** Orders the kill for the next call of a verb. The returned function says which executable was killed, if one was. */
export async function order(
  lab: Lab,
  container: string,
  verb: Verb,
  kill: Kill,
): Promise<() => Promise<string | undefined>> {
  const file = `/run/lab/orders/${container}-${verb}-${kill.executable}`;
  const mark = `/run/lab/marks/${container}-${verb}`;
  await lab.writeFile(file, `${kill.milliseconds / 1000}\n`);
  return async () => {
    const killed = await lab.readFile(mark).catch(() => undefined);
    await rm(lab.path(file), { force: true });
    await rm(lab.path(mark), { force: true });
    return killed?.trim();
  };
}
