import { expect, vi } from "vitest";

/** One test of a file, to be run. */
export interface Case {
  readonly name: string;
  readonly run: () => unknown;
}

type Body = (...row: unknown[]) => unknown;
type Declare = (name: string, body: Body) => void;

/**
 * The part of vitest that the unit tests use, so that they run in a warm process thousands of times: what a file declares is
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
      // A list is one argument where not every row is a list.
      const areLists = rows.every(Array.isArray);
      for (const row of rows) declare(name, () => (areLists ? body(...(row as unknown[])) : body(row)));
    };
}

/** Names the file of this tool to look at when a test uses more of vitest. */
function onlyKnown(known: object): object {
  return new Proxy(known, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || key === "__esModule") return Reflect.get(target, key);
      throw new Error(`test/reports/mutation/test-api.ts has no "${key}" of vitest`);
    },
  });
}
