import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseJsonObject } from "../../shared/protocol/json.ts";

/** What a plugin's executable says of itself. Each answer is asked for once, when it is first needed. */
export interface Executable {
  /** Its output without arguments and without CNI variables; undefined if it fails. Nomad finds versions so. */
  about(): string | undefined;
  /** Its answer to VERSION; undefined if it has none. */
  supportedVersions(): readonly string[] | undefined;
  /** Whether it takes arguments, as the Node flavor of the wrappers does. */
  takesArguments(): boolean;
}

/** The executable at a path. */
export function executable(path: string): Executable {
  return {
    about: once(() => outputOf(path, [], {})),
    supportedVersions: once(() => versionsIn(outputOf(path, [], probe, '{"cniVersion":"1.1.0"}'))),
    takesArguments: once(() => outputOf(path, ["--version"], {}) !== undefined),
  };
}

/** libcni's variables for VERSION. */
const probe = { CNI_COMMAND: "VERSION", CNI_NETNS: "dummy", CNI_IFNAME: "dummy", CNI_PATH: "dummy" };

/** Nomad's limit. */
const timeout = 3000;

function outputOf(path: string, args: readonly string[], variables: object, input = ""): string | undefined {
  const env = { PATH: process.env.PATH ?? "", ...variables };
  const { status, stdout, stderr } = spawnSync(path, args, {
    env,
    input,
    timeout,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
  return status === 0 ? `${stdout}${stderr}` : undefined;
}

function versionsIn(answer: string | undefined): readonly string[] | undefined {
  const versions = parseJsonObject(answer ?? "")?.supportedVersions;
  return Array.isArray(versions) ? versions.filter((version) => typeof version === "string") : undefined;
}

function once<T>(run: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => {
    answer ??= { value: run() };
    return answer.value;
  };
}
