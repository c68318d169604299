import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import {
  absolutePathProblem,
  interfaceNameProblem,
  jqProgramProblem,
  networkNameProblem,
  typeProblem,
} from "../../../shared/protocol/names.ts";
import { argsProblem, portsProblem, waitProblem } from "../../../shared/protocol/options.ts";
import {
  delGetsResult,
  isChainVersion,
  isContainerInterface,
  newestVersion,
  supportedVersions,
} from "../../../shared/protocol/result.ts";
import {
  blockShape,
  configurationShape,
  problemIn,
  resultShape,
  wrapperKeys,
} from "../../../shared/protocol/shapes.ts";
import fc from "../support/fast-check.ts";
import { fullValue, kinds, pathsIn, replaced, rightValues } from "../support/schema-values.ts";

// The same shapes once more, for zod. What the two find must be the same.
const text = z.string();
const nullableText = z.nullish(text);
const nullableTexts = z.nullish(z.array(text));

function named(problem: (name: string) => string | undefined) {
  return z.string().check(z.refine((name) => !problem(name), { error: ({ input }) => problem(String(input)) }));
}

function checked(problem: (value: unknown) => string | undefined) {
  return z.unknown().check(z.refine((value) => !problem(value), { error: ({ input }) => problem(input) }));
}

const index = z.number().check(z.refine((value) => Number.isInteger(value) && value >= 0, "must be an index"));
const log = z.object({
  file: z.optional(named(absolutePathProblem)),
  level: z.optional(z.enum(["error", "warn", "info", "debug"])),
});

const slaac = z.object({ wait: z.optional(named(waitProblem)), required: z.optional(z.boolean()) });

const schemas = {
  configuration: z.object({
    cniVersion: z.optional(text),
    name: named(networkNameProblem),
    type: z.optional(named(typeProblem)),
    prevResult: z.nullish(z.object({})),
  }),
  wrapper: z.object({
    ifName: z.optional(named(interfaceNameProblem)),
    delegate: z.optional(named(typeProblem)),
    role: z.optional(z.enum(["creator", "meta"])),
    network: z.optional(named(networkNameProblem)),
    args: z.optional(checked(argsProblem)),
    ports: z.optional(checked(portsProblem)),
    recover: z.optional(z.enum(["own", "always", "never"])),
    slaac: z.optional(slaac),
    jq: z.optional(named(jqProgramProblem)),
    log: z.optional(log),
  }),
  result: z.object({
    cniVersion: z.optional(text),
    interfaces: z.nullish(z.array(z.object({ name: text, sandbox: nullableText }))),
    ips: z.nullish(z.array(z.object({ address: text, interface: z.nullish(index) }))),
    routes: z.nullish(z.array(z.object({ gw: nullableText }))),
    dns: z.nullish(
      z.object({ nameservers: nullableTexts, search: nullableTexts, options: nullableTexts, domain: nullableText }),
    ),
  }),
};

/** What zod finds first, in the wrappers' words. */
function zodsProblem(schema: z.ZodMiniType, value: unknown, root: string): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  if (issue === undefined) return undefined;
  const steps = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return `${`${root}${steps.join("")}`.replace(/^\./, "")} ${wordsOf(issue)}`;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const types: Readonly<Record<string, string>> = { array: "a list", object: "an object" };
  if (issue.code === "invalid_type") return `must be ${types[issue.expected] ?? `a ${issue.expected}`}`;
  return issue.code === "invalid_value"
    ? `must be ${issue.values.map((one) => `"${String(one)}"`).join(" or ")}`
    : issue.message;
}

const shapes = [
  { name: "configuration", root: "", shape: configurationShape, schema: schemas.configuration },
  { name: "wrapper", root: "wrapper", shape: blockShape, schema: schemas.wrapper },
  { name: "result", root: "prevResult", shape: resultShape, schema: schemas.result },
];

describe.each(shapes)("the shape of a $name finds what zod finds", ({ shape, schema, root }) => {
  const problem = (value: unknown) => problemIn(shape, value, root);
  const right = rightValues(schema);
  const full = fullValue(schema);

  test("on valid values", () => {
    fc.assert(
      fc.property(right, (value) => {
        expect([problem(value), zodsProblem(schema, value, root)]).toEqual([undefined, undefined]);
      }),
      { numRuns: 2000 },
    );
  });

  test("on values with one or two changes", () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom(undefined, ...kinds));
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(right, fc.array(change, { minLength: 1, maxLength: 2 }), (value, changes) => {
        const changed = changes.reduce((before, [number, other]) => {
          const paths = pathsIn(before);
          return replaced(before, paths[number % paths.length] ?? [], other);
        }, value);
        const expected = zodsProblem(schema, changed, root);
        expect(problem(changed)).toBe(expected);
        seen[expected === undefined ? "right" : "wrong"]++;
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(seen.right, seen.wrong) / (seen.right + seen.wrong)).toBeGreaterThan(0.05);
  });

  test("on every kind of value in every place", () => {
    expect(problem(full)).toBeUndefined();
    for (const path of pathsIn(full)) {
      for (const kind of [undefined, ...kinds]) {
        const value = replaced(full, path, kind);
        expect([path, kind, problem(value)]).toEqual([path, kind, zodsProblem(schema, value, root)]);
      }
    }
  });
});

test("the block's shape has no key that zod does not know", () => {
  expect([...wrapperKeys].sort()).toEqual(Object.keys(schemas.wrapper.shape).sort());
});

test("an interface is inside a container if it has a sandbox", () => {
  // Go prints a host-side interface in one of these ways, depending on the plugin's version.
  const hostSide = [{ name: "cni0" }, { name: "cni0", sandbox: "" }, { name: "cni0", sandbox: null }];
  expect(hostSide.filter(isContainerInterface)).toEqual([]);
  expect(isContainerInterface({ name: "eth0", sandbox: "/run/netns/blue" })).toBe(true);
});

test("every released version of the specification is supported, and these have chains and a DEL with ADD's result", () => {
  expect(supportedVersions).toEqual(["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"]);
  expect(newestVersion).toBe("1.1.0");
  const all = [...supportedVersions, undefined, "", "0.3", "1.0.1", "1.2.0", "2.0.0", " 1.0.0", "v1.0.0"];
  expect(all.filter(isChainVersion)).toEqual(["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"]);
  expect(all.filter(delGetsResult)).toEqual(["0.4.0", "1.0.0", "1.1.0"]);
});
