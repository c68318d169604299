import { statSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../shared/host/node/files.ts";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { journalProblem } from "../host/journal-place.ts";
import type { Link } from "../host/links.ts";
import type { ListedPlugin } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { droppedPlugins } from "../live/dropped.ts";
import type { Networks } from "../live/networks.ts";
import { ipamProblems } from "../needs/ipam.ts";
import { programProblems } from "../needs/programs.ts";
import { routeProblems } from "../needs/routes.ts";
import { lostSince } from "../needs/running.ts";
import { ipv6Problems, sysctlProblems } from "../needs/sysctls.ts";
import { oneLine } from "../terminal.ts";

/** What the lists are compared with. */
export interface Surroundings {
  /** The attachments whose containers run. */
  readonly live: readonly CachedAttachment[];
  readonly links: readonly Link[];
  /** Gets a line about what cannot be looked at. */
  readonly note: (line: string) => void;
}

/** Finds what the lists need and this host does not have, besides plugins and interfaces, a line each. */
export function hostErrors(networks: Networks, { live, ...host }: Surroundings): readonly string[] {
  return [...networks.values()].flatMap(({ name, list }) => {
    const own = live.filter(({ network }) => network === name);
    const problems = [
      ...list.plugins.flatMap(problemsOf),
      ...ipv6Problems(list),
      ...lostSince(list, own, host),
      ...own.flatMap((attachment) => droppedPlugins(list, attachment)),
    ];
    return [...new Set(problems)].map((problem) => oneLine(`${list.file.path}: ${problem}`));
  });
}

function problemsOf(plugin: ListedPlugin): readonly string[] {
  return [
    ...logProblem(plugin),
    ...ipamProblems(plugin),
    ...sysctlProblems(plugin),
    ...programProblems(plugin),
    ...routeProblems(plugin),
  ];
}

/** A call would say it on stderr only. */
function logProblem({ wrapper: { log } }: ListedPlugin): readonly string[] {
  const file = isJsonObject(log) ? log.file : undefined;
  if (typeof file !== "string" || !file.startsWith("/")) return [];
  const isDirectory = attempt(() => statSync(file).isDirectory());
  // They make the directories that are missing, as those of journals.
  const problem = isDirectory ? "it is a directory" : journalProblem(dirname(file));
  return problem === undefined ? [] : [`the wrappers cannot write the log ${file}: ${problem}`];
}
