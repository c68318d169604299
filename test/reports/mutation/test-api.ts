import { expect, vi } from "vitest";

// Some matchers read this. vitest sets it in its own workers.
if (!("__vitest_worker__" in globalThis)) Object.assign(globalThis, { __vitest_worker__: { config: {} } });

/** One test of a file. */
export interface Case {
  readonly name: string;
  readonly run: () => unknown;
}

type Body = (...row: unknown[]) => unknown;
type Declare = (name: string, body: Body) => void;

/**
 * The part of vitest that the unit tests use. With it they run in a warm process thousands of times. A file's tests are
 * added to `cases`.
 */
export function testApi(cases: Case[]): object {
  let path: string[] = [];
  const describe: Declare = (name, body) => {
    const outer = path;
    path = [...outer, name];
    body();
    path = outer;
  };
  const test: Declare = (name, body) => {
    cases.push({ name: [...path, name].join(" > "), run: body });
  };
  return onlyKnown({
    expect,
    vi,
    describe: Object.assign(describe, { each: each(describe) }),
    test: Object.assign(test, { each: each(test) }),
  });
}

function each(declare: Declare) {
  return (rows: readonly unknown[]) =>
    (name: string, body: Body): void => {
      // If not every row is a list, a list is one argument.
      const areLists = rows.every(Array.isArray);
      for (const row of rows) declare(name, () => (areLists ? body(...(row as unknown[])) : body(row)));
    };
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
