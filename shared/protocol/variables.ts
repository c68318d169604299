import { CniError } from "./errors.ts";
import { interfaceNameProblem, networkNameProblem } from "./names.ts";

/** The verbs of the specification (SPEC.md, section 2 "CNI operations"). */
export type Verb = "ADD" | "DEL" | "CHECK" | "GC" | "STATUS" | "VERSION";

/** The CNI variables of one call; a variable that the runtime does not set is empty. */
export interface Variables {
  readonly command: Verb;
  readonly containerId: string;
  readonly netns: string;
  readonly ifName: string;
  readonly args: string;
  readonly path: string;
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that each verb requires (SPEC.md, section 2 "CNI operations"). */
const requiredVariables: Readonly<Record<Verb, readonly string[]>> = {
  ADD: ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"],
  DEL: ["CNI_CONTAINERID", "CNI_IFNAME"],
  CHECK: ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"],
  GC: ["CNI_PATH"],
  STATUS: [],
  VERSION: [],
};

/** Each says what is wrong with the value of a variable. */
const rules: Readonly<Record<string, (value: string) => string | undefined>> = {
  CNI_CONTAINERID: networkNameProblem,
  CNI_IFNAME: interfaceNameProblem,
};

/** Reads the CNI variables of a call. Code 4 lists all missing ones at once; an empty variable counts as missing. */
export function parseVariables(env: Environment): Variables {
  const command = env.CNI_COMMAND ?? "";
  if (!isVerb(command)) throw new CniError("unknownCommand", command);
  const required = requiredVariables[command];
  const missing: string[] = [];
  for (const name of required) if (!env[name]) missing.push(name);
  if (missing.length > 0) throw new CniError("missingVariables", missing.join(","), `CNI_COMMAND is ${command}`);
  for (const name of required) {
    const value = env[name] ?? "";
    const problem = rules[name]?.(value);
    if (problem !== undefined) throw new CniError("invalidVariable", name, `${JSON.stringify(value)} ${problem}`);
  }
  return {
    command,
    containerId: env.CNI_CONTAINERID ?? "",
    netns: env.CNI_NETNS ?? "",
    ifName: env.CNI_IFNAME ?? "",
    args: env.CNI_ARGS ?? "",
    path: env.CNI_PATH ?? "",
  };
}

function isVerb(command: string): command is Verb {
  return Object.hasOwn(requiredVariables, command);
}
