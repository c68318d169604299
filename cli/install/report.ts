import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { attempt } from "../../shared/host/node/files.ts";
import { counted } from "../terminal.ts";
import type { Installed } from "./install.ts";
import { usualDirectory } from "./place.ts";
import type { InstalledRelease } from "./release-of.ts";
import type { Use } from "./uses.ts";

/** Says what `install` did. */
export function installedText({ is, executable, release, replaced, links, newLinks }: Installed): string {
  const lines = [`${executable}: ${releaseWords(release)} ${is === "replaced" ? "installed" : is}`];
  const where = dirname(executable) === usualDirectory ? "" : ` --dir ${dirname(executable)}`;
  if (replaced)
    lines.push(`It replaces ${releaseWords(replaced)}. To go back: cni-wrappers install --rollback${where}`);
  if (newLinks.length > 0) lines.push(`new links: ${newLinks.join(", ")}`);
  else if (links.length > 0) lines.push(`${links.length} links, none of them is new`);
  if (release.flavor === "node" && is !== "rolled back") lines.push(slower);
  return `${lines.join("\n")}\n`;
}

const slower =
  "As a wrapper, the Node flavor takes thirty times as long as the slim flavor. Unless a list has wrapper.jq, install that one: cni-wrappers install --from FILE";

/** What happens to running containers that need the wrappers, and what --force does. */
const without = {
  executable: [
    "Without them every CHECK and DEL of these containers fails: the next restart of the runtime kills them, and their",
    "addresses stay leased. Stop them first. --force removes the wrappers all the same.",
  ],
  list: [
    "With the plain list every CHECK of these containers with several interfaces fails: the next restart of the runtime",
    "kills them, and the addresses of their renamed networks stay leased. Stop them first. --force writes the plain list",
    "all the same.",
  ],
} as const;

/** Says which running containers need the wrappers, and what happens without. What cannot be read may be of one. */
export function usesText(uses: readonly Use[], unreadable: number, what: keyof typeof without): string {
  const lines = uses.map(({ network, name }) => `  ${network} ${name}`);
  return [
    ...(uses.length > 0 ? [`${counted(uses.length, ...needing)} the wrappers:`, ...lines] : []),
    ...(unreadable > 0
      ? ["A result or a journal that cannot be read may be of a running container that needs the wrappers."]
      : []),
    ...without[what],
    "",
  ].join("\n");
}

/** Says that a runtime which looks only here finds no plugin behind the wrappers. */
export function noPluginsText(directory: string): string {
  return `${directory}: no plugin is in it that a wrapper could run. Name the directory of the plugins with --dir, or both directories in the runtime's cni_path\n`;
}

/** Says that the containers' plugins are in other directories, so another installation may serve them. */
export function elsewhereText(uses: readonly Use[], directory: string): string {
  const others = [...new Set(uses.map(({ plugins }) => plugins))].sort();
  const real = (path: string) => attempt(() => realpathSync(path)) ?? path;
  const mayBeHere = (other: string | undefined) => other === undefined || real(other) === real(directory);
  if (others.length === 0 || others.some(mayBeHere)) return "";
  return `All of them were attached with the plugins of ${others.join(", ")}. If the runtime's cni_path does not have ${directory}, they do not need\nthe wrappers there.\n`;
}

/** Says what `uninstall` removed. */
export function removedText(paths: readonly string[], directory: string): string {
  if (paths.length === 0) return `${directory}: nothing is installed there\n`;
  return `${directory}: removed ${paths.map((path) => basename(path)).join(", ")}\n`;
}

/** Names a release in a sentence. The commit tells two builds of a version apart. */
export function releaseWords({ version, flavor, commit }: InstalledRelease): string {
  const short = commit.replace(/^([0-9a-f]{8})[0-9a-f]+/, "$1");
  return `${version} (${flavor === "node" ? "Node flavor" : "slim flavor"}, commit ${short})`;
}

const needing = ["running container needs", "running containers need"] as const;
