import { format } from "node:util";
import { expect, vi } from "vitest";

// Some matchers and vi.stubEnv read this. vitest sets it in its own workers.
if (!("__vitest_worker__" in globalThis))
  Object.assign(globalThis, { __vitest_worker__: { config: {}, metaEnv: process.env } });

type Hook = () => unknown;

/** A test file, or a `describe` in it, with its hooks. */
interface Group {
  readonly outer: Group | undefined;
  readonly name: string;
  readonly hooks: Readonly<Record<(typeof hookNames)[number], Hook[]>>;
}

const hookNames = ["beforeAll", "beforeEach", "afterEach", "afterAll"] as const;

/** One test of a file. */
export interface Case {
  readonly name: string;
  readonly run: () => unknown;
  readonly group: Group;
}

type Body = (...row: unknown[]) => unknown;
type Declare = (name: string, ...optionsAndBody: [Body] | [options: object, Body]) => void;
type Fixture = (context: object, use: (value: unknown) => unknown) => unknown;

let finishing: Hook[] = [];

/**
 * Runs the chosen tests of a file, each with its hooks, until one fails. Returns it and its error. `begin` is told which
 * test is next; undefined: a hook that runs once for several.
 */
export async function firstFailure(
  cases: readonly Case[],
  begin: (index: number | undefined) => void,
): Promise<{ readonly name: string; readonly index: number; readonly error: unknown } | undefined> {
  const begun: Group[] = [];
  let [current, at] = ["", -1];
  try {
    for (const [index, { name, run, group }] of cases.entries()) {
      [current, at] = [name, index];
      begin(undefined);
      await beginGroups(groupsAround(group), begun);
      begin(index);
      await runCase(run, groupsAround(group));
    }
    current = "afterAll";
    begin(undefined);
    for (const group of begun.toReversed()) await runHooks(group.hooks.afterAll.toReversed());
    return undefined;
  } catch (error) {
    for (const group of begun.toReversed()) await runHooks(group.hooks.afterAll.toReversed()).catch(() => {});
    return { name: current, index: at, error };
  }
}

async function beginGroups(groups: readonly Group[], begun: Group[]): Promise<void> {
  for (const group of groups) {
    if (begun.includes(group)) continue;
    begun.push(group);
    await runHooks(group.hooks.beforeAll);
  }
}

async function runCase(run: Hook, groups: readonly Group[]): Promise<void> {
  finishing = [];
  try {
    for (const { hooks } of groups) await runHooks(hooks.beforeEach);
    await runHooks([run]);
  } finally {
    for (const { hooks } of groups.toReversed()) await runHooks(hooks.afterEach.toReversed());
    await runHooks(finishing.toReversed());
  }
}

function groupsAround(group: Group): Group[] {
  return [...(group.outer ? groupsAround(group.outer) : []), group];
}

/** The name of the outermost `describe` around a test; an empty text if there is none. */
export function outermostName(group: Group): string {
  const [, outermost] = groupsAround(group);
  return outermost?.name ?? "";
}

async function runHooks(hooks: readonly Hook[]): Promise<void> {
  for (const hook of hooks) {
    const result = hook();
    if (result instanceof Promise) await result;
  }
}

/**
 * The part of vitest that the tests use. With it they run in a warm process thousands of times. A file's tests are
 * added to `cases`.
 */
export function testApi(cases: Case[]): object {
  let group = groupIn(undefined, "");
  const describe: Declare = (name, ...optionsAndBody) => {
    const outer = group;
    group = groupIn(outer, name);
    bodyOf(optionsAndBody)();
    group = outer;
  };
  const testWith = (fixtures: readonly (readonly [string, Fixture])[]): object => {
    const test: Declare = (name, ...optionsAndBody) => {
      const path = [...groupsAround(group).map((around) => around.name), name].filter((part) => part !== "");
      const body = bodyOf(optionsAndBody);
      cases.push({ name: path.join(" > "), run: () => runWith(fixtures, context, body), group });
    };
    const extend = (more: Record<string, Fixture>) => testWith([...fixtures, ...Object.entries(more)]);
    return Object.assign(test, { each: each(test), for: forEach(test), extend });
  };
  const hooks = hookNames.map((name) => [name, (hook: Hook) => void group.hooks[name].push(hook)]);
  return onlyKnown({
    expect: Object.assign(expect, { poll }),
    vi,
    ...Object.fromEntries(hooks),
    onTestFinished: (hook: Hook) => void finishing.push(hook),
    describe: Object.assign(describe, { each: each(describe) }),
    test: testWith([]),
  });
}

/** Runs a test with what each fixture makes in its context. */
function runWith([first, ...others]: readonly (readonly [string, Fixture])[], context: object, body: Body): unknown {
  if (first === undefined) return body(context);
  const [name, make] = first;
  return make(context, (value) => runWith(others, { ...context, [name]: value }, body));
}

function groupIn(outer: Group | undefined, name: string): Group {
  return { outer, name, hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] } };
}

// A test may replace the global one.
const later = setTimeout;

/** `expect.poll` of vitest works only in its own tests. */
function poll(value: () => unknown, { timeout = 1000, interval = 50 } = {}): object {
  const matcher = (name: string) => async (wanted: unknown) => {
    for (const started = performance.now(); ; await new Promise((resolve) => later(resolve, interval))) {
      const assertion = expect(await value()) as unknown as Record<string, (wanted: unknown) => void>;
      try {
        return assertion[name]?.(wanted);
      } catch (error) {
        if (performance.now() - started > timeout) throw error;
      }
    }
  };
  return new Proxy({}, { get: (_, name) => matcher(String(name)) });
}

function bodyOf(optionsAndBody: readonly [Body] | readonly [object, Body]): Body {
  return optionsAndBody.find((part) => typeof part === "function") as Body;
}

function each(declare: Declare) {
  return (rows: readonly unknown[]) =>
    (name: string, ...optionsAndBody: [Body] | [options: object, Body]): void => {
      const body = bodyOf(optionsAndBody);
      // If not every row is a list, a list is one argument.
      const areLists = rows.every(Array.isArray);
      for (const row of rows) {
        const values = areLists ? (row as unknown[]) : [row];
        declare(titleOf(name, values), () => body(...values));
      }
    };
}

/** As `each`, but a row is one argument, and the next one is the test's context. */
function forEach(declare: Declare) {
  return (rows: readonly unknown[]) =>
    (name: string, ...optionsAndBody: [Body] | [options: object, Body]): void => {
      const body = bodyOf(optionsAndBody);
      for (const row of rows) declare(titleOf(name, Array.isArray(row) ? row : [row]), (given) => body(row, given));
    };
}

/** A test that is skipped kills nothing, so its file must not count as run. */
const context = {
  skip: (isSkipped = true, why = "") => {
    if (isSkipped) throw new Error(`skipped: ${why}`);
  },
};

/** The title that vitest gives a row. Fixtures name their test by it. */
function titleOf(name: string, values: readonly unknown[]): string {
  const [first] = values;
  const filled = name.replace(/\$(\w+)/g, (_, key: string) => String((first as Record<string, unknown>)?.[key]));
  return format(filled, ...values.slice(0, filled.match(/%[a-z]/gi)?.length ?? 0));
}

/** If a test uses more of vitest, the error names this file. */
function onlyKnown(known: object): object {
  return new Proxy(known, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || key === "__esModule") return Reflect.get(target, key);
      throw new Error(`test/reports/mutation/test-api.ts has no "${key}" of vitest`);
    },
  });
}
