import { format } from "node:util";
import { expect, vi } from "vitest";

// Some matchers read this. vitest sets it in its own workers.
if (!("__vitest_worker__" in globalThis)) Object.assign(globalThis, { __vitest_worker__: { config: {} } });

/** One test of a file. */
export interface Case {
  readonly name: string;
  readonly run: () => unknown;
}

type Body = (...row: unknown[]) => unknown;
type Declare = (name: string, ...optionsAndBody: [Body] | [options: object, Body]) => void;

/**
 * The part of vitest that the unit tests use. With it they run in a warm process thousands of times. A file's tests are
 * added to `cases`.
 */
export function testApi(cases: Case[]): object {
  let path: string[] = [];
  const describe: Declare = (name, ...optionsAndBody) => {
    const outer = path;
    path = [...outer, name];
    bodyOf(optionsAndBody)();
    path = outer;
  };
  const test: Declare = (name, ...optionsAndBody) => {
    cases.push({ name: [...path, name].join(" > "), run: bodyOf(optionsAndBody) });
  };
  return onlyKnown({
    expect,
    vi,
    describe: Object.assign(describe, { each: each(describe) }),
    test: Object.assign(test, { each: each(test) }),
  });
}

function bodyOf(optionsAndBody: readonly [Body] | readonly [object, Body]): Body {
  return optionsAndBody.at(-1) as Body;
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
