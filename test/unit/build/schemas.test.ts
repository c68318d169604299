import { join } from "node:path";
import { build } from "esbuild";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { compiledModule, compiledSchemas } from "../../../build/schemas.ts";
import {
  configurationProblem,
  logKeys,
  resultShapeProblem,
  wrapperKeys,
  wrapperProblem,
} from "../../../shared/protocol/problem.ts";

const root = join(import.meta.dirname, "../../..");
const interpreted = { configurationProblem, wrapperProblem, resultShapeProblem };
const names = ["configurationProblem", "wrapperProblem", "resultShapeProblem"] as const;

/** What zod was asked for words about. */
const refused: unknown[] = [];
let compiled: typeof interpreted & { wrapperKeys: unknown; logKeys: unknown };

beforeAll(async () => {
  const asked = (value: unknown) => {
    refused.push(value);
    return "refused";
  };
  Object.assign(globalThis, { words: Object.fromEntries(names.map((name) => [name, asked])) });
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "./problem.ts"', resolveDir: join(root, "shared/protocol") },
    bundle: true,
    write: false,
    format: "esm",
    plugins: [compiledSchemas(root, "globalThis.words")],
  });
  compiled = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`);
});

/** Values that are right, or nearly, as often as not. */
const text = fc.constantFrom(
  "zone",
  "eth1",
  "",
  "a/b",
  "/l",
  "creator",
  "own",
  "keep",
  "info",
  "..",
  "sixteen-bytes-16",
);
const leaf = fc.oneof(text, fc.constantFrom<unknown>(null, undefined, 0, 1, -1, 1.5, true, [], {}, Number.NaN));
const entry = fc.dictionary(fc.constantFrom("name", "sandbox", "address", "interface", "gw", "file", "level"), leaf);
const port = fc.constantFrom<unknown>(443, "8000-8999", 0, "9-1", "http", null);
const ports = fc.dictionary(
  fc.constantFrom("only", "except", "onyl"),
  fc.oneof(fc.array(port, { maxLength: 2 }), port),
);
const args = fc.dictionary(fc.constantFrom("IP", "MAC", "a=b"), fc.constantFrom<unknown>("ETH1_IP", "", 7));
const part = fc.oneof(leaf, entry, ports, args, fc.array(entry, { maxLength: 3 }), fc.array(text, { maxLength: 2 }));
const dns = fc.dictionary(fc.constantFrom("nameservers", "search", "options", "domain"), part);
const keys = ["cniVersion", "name", "type", "prevResult", "interfaces", "ips", "routes", "dns", ...wrapperKeys];
const object = fc.dictionary(fc.constantFrom(...keys), fc.oneof(part, dns), { maxKeys: 4 });
const value = fc.oneof(
  { weight: 10, arbitrary: object },
  { weight: 10, arbitrary: object.map((one) => ({ ...one, name: "zone" })) },
  { weight: 1, arbitrary: part },
);

describe.each(names)("%s, compiled", (name) => {
  test("finds right what zod finds right, and asks zod about the rest", () => {
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(value, (one) => {
        refused.length = 0;
        const expected = interpreted[name](one, "result");
        const found = compiled[name](one, "result");
        expect(found === undefined).toBe(expected === undefined);
        expect(refused).toEqual(expected === undefined ? [] : [one]);
        seen[expected === undefined ? "right" : "wrong"]++;
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(50);
  });
});

test("the keys are the schemas'", () => {
  expect([compiled.wrapperKeys, compiled.logKeys]).toEqual([wrapperKeys, logKeys]);
});

test("what the compiler does not know by itself is a function of names.ts: nothing is left undefined but one complaint", () => {
  const module = compiledModule("words");
  expect(module).toContain("names.isNetworkName");
  expect(module).toContain("options.isArgs");
  expect(module).toContain("options.isPorts");
  expect(module).not.toMatch(/Promise/);
  // The compiled checks call what they refine by: a constant that was not found would be called all the same.
  const constants = [...module.matchAll(/const (c\d+) = undefined;/g)].map(([, constant]) => constant);
  for (const constant of constants) expect(module).not.toMatch(new RegExp(`= ${constant}\\(`));
});
