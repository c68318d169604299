import * as z from "zod/mini";
import { interfaceNameProblem, networkNameProblem, typeProblem } from "./names.ts";

// Schemas check only; what goes on is the original object, because zod reorders keys and drops what it does not know.
// They are built when they are needed, few and flat: building them is most of what a call costs besides Node's start.

/** Makes the schema of the plugin configuration, as far as a wrapper looks at it. */
export function configurationSchema() {
  return z.object({
    cniVersion: z.optional(z.string()),
    name: named(networkNameProblem),
    type: z.optional(named(typeProblem)),
    prevResult: z.nullish(z.object({})),
  });
}

/** Makes the schema of the `wrapper` block of a plugin configuration. */
export function wrapperSchema() {
  return z.object({
    ifName: z.optional(named(interfaceNameProblem)),
    delegate: z.optional(named(typeProblem)),
    role: z.optional(z.enum(["creator", "meta"])),
    network: z.optional(named(networkNameProblem)),
    args: z.optional(z.enum(["keep"])),
    recover: z.optional(z.enum(["own", "always", "never"])),
    jq: z.optional(named(programProblem)),
    log: z.optional(logSchema()),
  });
}

function programProblem(program: string): string | undefined {
  if (program.trim() === "") return "must be a jq program";
  return program.length > 16 * 1024 ? "must not have more than 16384 characters" : undefined;
}

/** Makes the schema of `wrapper.log`. */
export function logSchema() {
  return z.object({
    file: z.optional(named((file) => (file.startsWith("/") ? undefined : "must be an absolute path"))),
    level: z.optional(z.enum(["error", "warn", "info", "debug"])),
  });
}

/** The `wrapper` block: what an operator tells a wrapper. */
export type WrapperConfiguration = z.infer<ReturnType<typeof wrapperSchema>>;
export type LogLevel = NonNullable<z.infer<ReturnType<typeof logSchema>>["level"]>;

/** Makes the schema of a result of 0.3.0 to 1.1.0, as far as narrowing and splicing look at it. */
export function resultSchema() {
  const text = z.string();
  const nullableText = z.nullish(text);
  const nullableTexts = z.nullish(z.array(text));
  const index = z.nullish(z.number().check(z.refine((n) => Number.isInteger(n) && n >= 0, "must be an index")));
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
 * The first thing that is wrong with a value: the path of the offending key and what is expected there, in words.
 * `root` is what the value itself is called.
 */
export function schemaProblem(schema: z.ZodMiniType, value: unknown, root = ""): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue && `${pathWords(root, issue.path)} ${expectation(issue)}`;
}

function named(problem: (name: string) => string | undefined) {
  return z.string().check((payload) => {
    const message = problem(payload.value);
    if (message !== undefined) payload.issues.push({ code: "custom", message, input: payload.value, path: [] });
  });
}

function pathWords(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((words, key) => {
    if (typeof key === "number") return `${words}[${key}]`;
    return words === "" ? String(key) : `${words}.${String(key)}`;
  }, root);
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${typeWords[issue.expected] ?? `a ${issue.expected}`}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return issue.message;
}

const typeWords: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
};
