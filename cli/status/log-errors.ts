import { statSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../shared/host/node/files.ts";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { journalProblem } from "../host/journal-place.ts";
import type { Networks } from "../live/networks.ts";
import { oneLine } from "../terminal.ts";

/** Finds the logs of lists that the wrappers cannot write, a line each: a call would say so, on stderr only. */
export function logErrors(networks: Networks): readonly string[] {
  return [...networks.values()].flatMap(({ list }) => {
    const files = new Set(list.plugins.flatMap(({ wrapper: { log } }) => (isJsonObject(log) ? [log.file] : [])));
    return [...files].flatMap((file) => {
      const problem = typeof file === "string" && file.startsWith("/") ? problemOf(file) : undefined;
      const line = `${list.file.path}: the wrappers cannot write the log ${file}: ${problem}`;
      return problem === undefined ? [] : [oneLine(line)];
    });
  });
}

// They make the directories that are missing, as those of journals.
function problemOf(file: string): string | undefined {
  if (attempt(() => statSync(file).isDirectory())) return "it is a directory";
  return journalProblem(dirname(file));
}
