import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { callWrapper, exits, printed } from "./support/fake-host.ts";

/** What `expected.json` says: what changes for the delegate, and on ADD what the runtime must get. */
interface Expected {
  readonly delegate: {
    readonly environment: Record<string, string>;
    readonly configuration: { readonly type: string };
  };
  readonly runtime?: unknown;
}

const root = join(import.meta.dirname, "../fixtures");
const cases = globSync("**/request.json", { cwd: root }).map(dirname).sort();
const chains = [...new Set(cases.map(dirname))];

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

test("there are fixtures of every origin", () => {
  expect([...new Set(cases.map((path) => path.split("/")[0]))]).toEqual(["derived", "go-cni", "nomad"]);
});

test.each(chains)("%s says where it comes from", (chain) => {
  const origins = [chain, dirname(chain)].map((folder) => join(folder, "ORIGIN.md"));
  expect(origins.filter((file) => existsSync(join(root, file)))).not.toEqual([]);
});

describe.each(cases)("%s", (path) => {
  const { plugin, env, stdin } = JSON.parse(read(join(path, "request.json")));
  const { delegate, runtime }: Expected = JSON.parse(read(join(path, "expected.json")));
  const answer = existsSync(join(root, path, "delegate.json")) ? read(join(path, "delegate.json")) : "";
  const outcome = callWrapper({ calledAs: `/opt/cni/bin/${plugin}`, env, stdin }, { answers: [exits(0, answer)] });

  test("the delegate gets its own call", () => {
    expect(outcome.runs).toStrictEqual([
      {
        how: runtime === undefined ? "exec" : "spawn",
        path: `/opt/cni/bin/${delegate.configuration.type}`,
        env: { ...env, ...delegate.environment },
        stdin: delegate.configuration,
      },
    ]);
  });

  test("the runtime gets its answer", () => {
    expect(outcome.exitCode).toBe(0);
    if (runtime === undefined) expect(outcome).toMatchObject({ stdout: answer, writes: 0 });
    else expect(printed(outcome)).toStrictEqual(runtime);
  });
});
