import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { callWrapper, exits, printed } from "./support/fake-host.ts";
import { type Expected, journalOf } from "./support/fixture-journals.ts";

const root = join(import.meta.dirname, "../fixtures");
const cases = globSync("**/request.json", { cwd: root }).map(dirname).sort();
const chains = [...new Set(cases.map(dirname))];

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

test("there are fixtures of every origin", () => {
  expect([...new Set(cases.map((path) => path.split("/")[0]))]).toEqual(["cnitool", "go-cni", "nomad", "stand-in"]);
});

test.each(chains)("%s says where it comes from", (chain) => {
  const origins = [chain, dirname(chain)].map((folder) => join(folder, "ORIGIN.md"));
  expect(origins.filter((file) => existsSync(join(root, file)))).not.toEqual([]);
});

describe.each(cases)("%s", (path) => {
  const { plugin, env, stdin } = JSON.parse(read(join(path, "request.json")));
  const expected: Expected = JSON.parse(read(join(path, "expected.json")));
  const { delegate, runtime } = expected;
  const answer = existsSync(join(root, path, "delegate.json")) ? read(join(path, "delegate.json")) : "";
  // The wrapper waits for a DEL, because it removes the journal.
  const isRecorded = ["CHECK", "DEL"].includes(env.CNI_COMMAND) && delegate.configuration.type !== "loopback";
  // The kernel says that somebody has set the MAC of a bridge with an address.
  const origin = {
    [`/sys/class/net/${stdin.bridge}/addr_assign_type`]:
      (stdin.isGateway || stdin.isDefaultGateway) && !stdin.vlan ? "3\n" : "1\n",
  };
  const files = { ...origin, ...(isRecorded ? journalOf({ env, stdin }, expected) : {}) };
  const isHandedOver = runtime === undefined && env.CNI_COMMAND !== "DEL";
  const call = { calledAs: `/opt/cni/bin/${plugin}`, env, stdin };
  // What ADD made is there when the runtime calls the other verbs.
  const links = [env.CNI_COMMAND === "ADD" ? 0 : 7];
  const outcome = callWrapper(call, { answers: [exits(0, answer)], files, links });

  test("the delegate gets its own call", () => {
    expect(outcome.runs).toStrictEqual([
      {
        how: isHandedOver ? "exec" : "spawn",
        path: `/opt/cni/bin/${delegate.configuration.type}`,
        env: { ...env, ...delegate.environment },
        stdin: delegate.configuration,
      },
    ]);
  });

  test("the runtime gets its answer", () => {
    expect(outcome.exitCode).toBe(0);
    if (runtime === undefined) expect(outcome).toMatchObject({ stdout: answer, writes: isHandedOver ? 0 : 1 });
    else expect(printed(outcome)).toStrictEqual(runtime);
  });
});
