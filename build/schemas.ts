import { join } from "node:path";
import type { Plugin } from "esbuild";
import type * as z from "zod/v4/core";
import { compileFn } from "zod/v4/core";
import * as names from "../shared/protocol/names.ts";
import * as options from "../shared/protocol/options.ts";
import { logKeys, wrapperKeys } from "../shared/protocol/problem.ts";
import { configurationSchema, resultSchema, wrapperSchema } from "../shared/protocol/schema.ts";

const schemas = {
  configurationProblem: configurationSchema(),
  wrapperProblem: wrapperSchema(),
  resultShapeProblem: resultSchema(),
};

/**
 * An esbuild plugin that puts compiled checks before `shared/protocol/problem.ts`: zod's own compiler makes them of the same
 * schemas. Only what they refuse is looked at by zod itself, which finds the words. `load` is the expression that gives the
 * module itself, evaluated when there is a fault.
 */
export function compiledSchemas(root: string, load: string): Plugin {
  const protocol = join(root, "shared/protocol");
  return {
    name: "compiled-schemas",
    setup(build) {
      const namespace = "compiled-schemas";
      build.onResolve({ filter: /\/problem\.ts$/ }, ({ kind }) => {
        return kind === "entry-point" ? undefined : { path: "problem", namespace };
      });
      build.onLoad({ filter: /./, namespace }, () => ({ contents: compiledModule(load), resolveDir: protocol }));
    },
  };
}

/** The source of the module that takes the place of `problem.ts`. */
export function compiledModule(load: string): string {
  return [
    `import * as names from "./names.ts";`,
    `import * as options from "./options.ts";`,
    "const INVALID = Symbol();",
    `const words = () => ${load};`,
    `export const wrapperKeys = ${JSON.stringify(wrapperKeys)};`,
    `export const logKeys = ${JSON.stringify(logKeys)};`,
    ...Object.entries(schemas).map(
      ([name, schema]) =>
        `const ${name}Check = ${compiledCheck(schema)};\n` +
        `export const ${name} = (value, root) => ${name}Check(value) === true ? undefined : words().${name}(value, root);`,
    ),
  ].join("\n");
}

/** The source of a function that says whether a value is as the schema has it. */
function compiledCheck(schema: z.$ZodType): string {
  const { parameters, constants, body } = generated(schema);
  const declarations = parameters.map((parameter, index) => `const ${parameter} = ${sourceOf(constants[index])};`);
  // Refinements here are plain functions, and without this the engine need not have promises.
  const code = body.replaceAll(/^.*instanceof Promise.*$/gm, "");
  return `(() => { ${declarations.join(" ")} ${code} })()`;
}

/** What zod's compiler generates, and the values that the code refers to; it hands both to `new Function`. */
function generated(schema: z.$ZodType): { parameters: string[]; constants: unknown[]; body: string } {
  const { Function: original } = globalThis;
  let seen: ReturnType<typeof generated> | undefined;
  const construct = (_: unknown, given: string[]) => {
    const [parameters, body = ""] = [given.slice(0, -1), given.at(-1)];
    return (...constants: unknown[]) => {
      // The first is INVALID, which all schemas share.
      seen = { parameters: parameters.slice(1), constants: constants.slice(1), body };
      return () => true;
    };
  };
  try {
    globalThis.Function = new Proxy<FunctionConstructor>(original, { construct });
    compileFn(schema, { assertOnly: true });
  } finally {
    globalThis.Function = original;
  }
  if (seen === undefined) throw new Error("zod's compiler generated nothing");
  return seen;
}

/** The source of a value that generated code refers to: a function of names.ts or options.ts, or the values of an enumeration. */
function sourceOf(value: unknown): string {
  if (value instanceof Set) return `new Set(${JSON.stringify([...value])})`;
  for (const [module, functions] of Object.entries({ names, options })) {
    const [name] = Object.entries<unknown>(functions).find(([, known]) => known === value) ?? [];
    if (name !== undefined) return `${module}.${name}`;
  }
  // Otherwise it is what complains of promises.
  return "undefined";
}
