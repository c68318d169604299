import * as z from "zod/mini";
import {
  absolutePathProblem,
  interfaceNameProblem,
  isAbsolutePath,
  isIndex,
  isInterfaceName,
  isJqProgram,
  isNetworkName,
  isType,
  jqProgramProblem,
  networkNameProblem,
  typeProblem,
} from "./names.ts";
import { type ArgsOption, argsProblem, isArgs, isPorts, type PortsOption, portsProblem } from "./options.ts";

// The schemas define what is valid, word the errors and give the types. They only check: the wrapper uses the original object,
// because zod reorders keys and drops unknown ones. Loading zod and building a schema takes longer than the rest of a call, so
// shapes.ts checks every value first. zod checks only the values that shapes.ts refuses.

/** Makes the schema of a plugin configuration, for the keys that a wrapper reads. */
export function configurationSchema() {
  return z.object({
    cniVersion: z.optional(z.string()),
    name: named(isNetworkName, networkNameProblem),
    type: z.optional(named(isType, typeProblem)),
    prevResult: z.nullish(z.object({})),
  });
}

/** Makes the schema of the `wrapper` block of a plugin configuration. */
export function wrapperSchema() {
  return z.object({
    ifName: z.optional(named(isInterfaceName, interfaceNameProblem)),
    delegate: z.optional(named(isType, typeProblem)),
    role: z.optional(z.enum(["creator", "meta"])),
    network: z.optional(named(isNetworkName, networkNameProblem)),
    args: z.optional(checked(isArgs, argsProblem)),
    ports: z.optional(checked(isPorts, portsProblem)),
    recover: z.optional(z.enum(["own", "always", "never"])),
    jq: z.optional(named(isJqProgram, jqProgramProblem)),
    log: z.optional(logSchema()),
  });
}

/** Makes the schema of `wrapper.log`. */
export function logSchema() {
  return z.object({
    file: z.optional(named(isAbsolutePath, absolutePathProblem)),
    level: z.optional(z.enum(["error", "warn", "info", "debug"])),
  });
}

/** The `wrapper` block, in which an operator configures the wrapper. */
export interface WrapperConfiguration extends Omit<z.infer<ReturnType<typeof wrapperSchema>>, "args" | "ports"> {
  readonly args?: ArgsOption;
  readonly ports?: PortsOption;
}

/** The levels of the log. */
export type LogLevel = NonNullable<z.infer<ReturnType<typeof logSchema>>["level"]>;

/** Makes the schema of a result of 0.3.0 to 1.1.0, for the keys that narrowing and splicing read. */
export function resultSchema() {
  const text = z.string();
  const nullableText = z.nullish(text);
  const nullableTexts = z.nullish(z.array(text));
  const index = z.nullish(z.number().check(z.refine(isIndex, "must be an index")));
  return z.object({
    cniVersion: z.optional(text),
    interfaces: z.nullish(z.array(z.object({ name: text, sandbox: nullableText }))),
    ips: z.nullish(z.array(z.object({ address: text, interface: index }))),
    routes: z.nullish(z.array(z.object({ gw: nullableText }))),
    dns: z.nullish(
      z.object({ nameservers: nullableTexts, search: nullableTexts, options: nullableTexts, domain: nullableText }),
    ),
  });
}

/**
 * Describes the first problem of a value: the path of the key and what is expected there. `root` is the name of the value
 * itself.
 */
export function schemaProblem(schema: z.ZodMiniType, value: unknown, root = ""): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue && `${pathWords(root, issue.path)} ${expectation(issue)}`;
}

function named(isRight: (name: string) => boolean, problem: (name: string) => string | undefined) {
  return z.string().check(z.refine(isRight, { error: ({ input }) => problem(String(input)) }));
}

// zod has no short message for these values.
function checked(isRight: (value: unknown) => boolean, problem: (value: unknown) => string | undefined) {
  return z.unknown().check(z.refine(isRight, { error: ({ input }) => problem(input) }));
}

/** Writes the path of a key as in `ipam.ranges[0]`. */
export function pathWords(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((words, key) => {
    if (typeof key === "number") return `${words}[${key}]`;
    return words === "" ? String(key) : `${words}.${String(key)}`;
  }, root);
}

/** Says what a schema expects instead of a value. */
export function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${typeWords[issue.expected] ?? `a ${issue.expected}`}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return issue.message;
}

const typeWords: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
};
