import { existsSync, mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readState } from "../../cli/host/memory.ts";
import { readPluginFolder } from "../../cli/host/read-plugin-folder.ts";
import { type Finding, lintFiles } from "../../cli/lint/lint.ts";
import { readListFile, readListFiles } from "../../cli/lists/find-files.ts";
import { type HostFolders, makeHostFolders } from "../unit/support/fake-host-folders.ts";

// The plugins of a host are programs: two test files ask for the same findings.
const known = new Map<string, readonly Finding[]>();

/** Lints a fixture once: one file, or a folder of files on the host that its `host.json` describes. */
export function findingsOf(fixture: string): readonly Finding[] {
  const folder = path.dirname(fixture);
  const isFile = /\.\w+$/.test(fixture);
  const found =
    known.get(fixture) ?? (isFile ? lintFiles([readListFile(path.basename(fixture), folder)]) : onHost(fixture));
  known.set(fixture, found);
  return found;
}

function onHost(folder: string): readonly Finding[] {
  const description = path.join(folder, "host.json");
  const host: HostFolders = existsSync(description) ? JSON.parse(readFileSync(description, "utf8")) : {};
  using directory = mkdtempDisposableSync(path.join(tmpdir(), "lint-host-"));
  const { cniPath, state } = makeHostFolders(directory.path, host);
  const names = readdirSync(folder).filter((name) => name !== "host.json");
  const found = lintFiles(readListFiles(names, { directory: folder, readInput: () => "" }), {
    plugins: cniPath === undefined ? undefined : readPluginFolder(cniPath, directory.path),
    state: state === undefined ? undefined : readState(state, directory.path),
    links: host.links,
    hasCrio: host.hasCrio,
  });
  return found.map((finding) => withoutDirectory(finding, directory.path));
}

function withoutDirectory(finding: Finding, directory: string): Finding {
  const strip = (text: string): string => text.replaceAll(directory, "");
  const { file, message, hint } = finding;
  return { ...finding, message: strip(message), hint: strip(hint), file: { ...file, path: strip(file.path) } };
}
