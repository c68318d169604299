import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Link } from "../../../cli/host/links.ts";
import { stateDirectory } from "../../../cli/host/memory.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import { entryOf, journalFiles } from "./journals.ts";
import { writeFile } from "./written.ts";

/** A tiny executable that answers as a plugin does. */
export interface TinyPlugin {
  /** The version that it prints. Empty: it prints none. */
  readonly version?: string;
  /** Its answer to VERSION. Empty: it fails. */
  readonly speaks?: readonly string[];
  /** It is a wrapper, in the flavor that has jq or in the one that has not. */
  readonly wrapper?: "node" | "slim";
  readonly mode?: string;
  /** The file's text. No plugin answers. */
  readonly text?: string;
  /** It is a link to another one. */
  readonly link?: string;
}

/** What a fixture needs of a host: the folders of plugins and the state, as in `host.json`. */
export interface HostFolders {
  /** The folders of --cni-path in their order. One that is null does not exist. */
  readonly cniPath?: Readonly<Record<string, Readonly<Record<string, TinyPlugin>> | null>>;
  /** What the journals have. */
  readonly entries?: readonly Partial<Entry>[];
  /** host-local's files, such as `zone/172.26.64.2`, with the container and the interface. */
  readonly leases?: Readonly<Record<string, readonly [containerId: string, ifName: string]>>;
  /** The host's interfaces, as `ip -json address` prints them. */
  readonly links?: readonly Link[];
  readonly hasCrio?: boolean;
}

/** Makes the folders below a directory. Returns the values of --cni-path and --state. */
export function makeHostFolders(
  directory: string,
  { cniPath, entries, leases }: HostFolders,
): { readonly cniPath: string | undefined; readonly state: string | undefined } {
  for (const [folder, plugins] of Object.entries(cniPath ?? {})) {
    if (plugins) mkdirSync(join(directory, folder), { recursive: true });
    for (const [name, plugin] of Object.entries(plugins ?? {})) makePlugin(join(directory, folder, name), name, plugin);
  }
  const state = join(directory, "state");
  mkdirSync(state, { recursive: true });
  for (const [file, text] of Object.entries(journalFiles(...(entries ?? []).map(entryOf)))) {
    writeFile(join(state, file.slice(stateDirectory.length)), text);
  }
  for (const [file, [containerId, ifName]] of Object.entries(leases ?? {})) {
    writeFile(join(state, "networks", file), `${containerId}\r\n${ifName}`);
  }
  return {
    cniPath: cniPath && Object.keys(cniPath).join(":"),
    state: entries || leases ? "state" : undefined,
  };
}

const all = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

function makePlugin(file: string, name: string, { version = "v1.9.1", speaks = all, ...plugin }: TinyPlugin): void {
  if (plugin.link !== undefined) {
    symlinkSync(plugin.link, file);
    return;
  }
  const answer = JSON.stringify({ cniVersion: "1.1.0", supportedVersions: speaks });
  const lines = [
    "#!/bin/sh",
    // The number of calls is in the size of this file.
    `echo "$CNI_COMMAND$*" >>${file}.calls`,
    `if [ "$CNI_COMMAND" = VERSION ]; then ${speaks.length > 0 ? `echo '${answer}'` : "exit 1"}; exit; fi`,
    `[ $# = 0 ] || exit ${plugin.wrapper === "slim" ? 2 : 0}`,
    `echo 'CNI ${name} plugin ${version}'`,
    plugin.wrapper ? "echo 'Built from commit 123'" : "",
  ];
  writeFileSync(file, plugin.text ?? lines.join("\n"));
  chmodSync(file, Number.parseInt(plugin.mode ?? "755", 8));
}
