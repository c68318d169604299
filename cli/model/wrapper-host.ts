import type { Bytes, Host } from "../../shared/host/host.ts";
import { lastElement } from "../../shared/protocol/names.ts";
import type { ProgramView } from "./view.ts";

/** A process of a wrapper: how it is called, what it sees of its host, and what becomes of its plugins and its output. */
export interface WrapperProcess extends Pick<Host, "env" | "calledAs" | "pid" | "inspect"> {
  readonly view: ProgramView;
  readonly stdin: string;
  /** Runs a plugin to its end, with changed variables. Returns its exit code and its output; no exit code if it is killed. */
  runPlugin(name: string, changes: Host["env"], stdin: string): readonly [number | undefined, string];
  print(text: string): void;
}

/** Returns the host of a process. No plugin takes the place of the process: the wrapper spawns it. */
export function hostOf({ view, stdin, runPlugin, print, ...called }: WrapperProcess): Host {
  const bytesOf = (text: string): Bytes => ({ decodeUtf8: () => text, print: () => print(text) });
  return {
    ...view,
    ...called,
    executable: "/opt/cni/bin/cni-wrappers",
    release: { version: "1.2.3", commit: "abcdef", flavor: "slim" },
    sleep() {},
    readStdin: () => bytesOf(stdin),
    writeStdout: print,
    tryExec() {},
    spawn(path, changes, { stdin: given = stdin }) {
      const [exitCode, output] = runPlugin(lastElement(path), changes, given);
      if (exitCode === undefined) return { ended: "signal", signal: "SIGKILL" };
      return { ended: "exit", exitCode, stdout: bytesOf(output) };
    },
    writeStderr() {},
  };
}
