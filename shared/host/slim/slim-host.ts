import type { Pieces } from "../../protocol/unread.ts";
import type { Host } from "../host.ts";
import { ipCommand } from "../ip-command.ts";
import { bytesOf, orThrow } from "./bytes.ts";
import { alternating, wellFormed } from "./encoding.ts";
import type { Machine } from "./machine.ts";
import { ipOutput, spawn } from "./spawn.ts";
import { errorName } from "./system-names.ts";

// The build defines these two.
declare const __VERSION__: string;
declare const __COMMIT__: string;

const inspected = ["missing", "not executable", "the wrapper itself", "executable"] as const;

/** Returns the host of the slim flavor, which uses the executable around the engine. */
export function slimHost(machine: Machine): Host {
  const inspect: Host["inspect"] = (path) => inspected[machine.inspect(wellFormed(path))] ?? "missing";
  return {
    env: machine.variables,
    calledAs: machine.arguments[0] ?? "",
    get executable() {
      return machine.executable();
    },
    get pid() {
      return machine.pid();
    },
    release: { version: __VERSION__, commit: __COMMIT__, flavor: "slim" },
    now: machine.now,
    readStdin(limit) {
      const bytes = machine.readStdin(limit);
      return bytes === undefined ? undefined : bytesOf(machine, orThrow(bytes));
    },
    writeStdout: (text) => void orThrow(machine.writeText(text)),
    inspect,
    tryExec: (path, changes, stdin) => tryExec(machine, wellFormed(path), alternating(changes), stdin),
    spawn: (path, changes, stdin, limit) => spawn(machine, path, changes, stdin, limit),
    readFile: (path) => machine.readFile(wellFormed(path)),
    writeFile: (path, text) => problemOf(machine.writeFile(wellFormed(path), text)),
    removeFile: (path) => machine.removeFile(wellFormed(path)),
    listDirectory: (path) => machine.listDirectory(wellFormed(path)),
    stat(path) {
      const found = machine.stat(wellFormed(path));
      return found && { device: found[0], inode: found[1], modifiedMs: found[2] };
    },
    linkIndex: (netns, name) => notNegative(machine.linkIndex(wellFormed(netns), wellFormed(name))),
    writeStderr: (text) => machine.writeStderr(text),
    ip: (netns, family, commands) =>
      ipOutput(machine, ipCommand({ env: machine.variables, inspect }, netns, family), commands),
    appendLine: (file, line) => problemOf(machine.appendLine(wellFormed(file), line)),
  };
}

function tryExec(
  machine: Machine,
  path: string,
  variables: readonly string[],
  stdin: string | Pieces | undefined,
): void {
  if (typeof stdin === "object") {
    const places = stdin.values.flatMap(({ place }) => place);
    machine.execWithPieces(path, variables, stdin.texts, places);
  } else machine.exec(path, variables, stdin);
}

function problemOf(result: number): string | undefined {
  return result < 0 ? errorName(-result) : undefined;
}

function notNegative(result: number): number | undefined {
  return result < 0 ? undefined : result;
}
