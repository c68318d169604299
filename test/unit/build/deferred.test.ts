import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleForSlim } from "../../../build/bundle.ts";
import type { Machine } from "../../../shared/host/slim/machine.ts";
import { recordOf } from "../support/records.ts";
import { bothResult } from "../support/results.ts";

const root = join(import.meta.dirname, "../../..");
const scripts: Record<string, Uint8Array> = {};

beforeAll(async () => {
  const { core, problem } = await bundleForSlim(root, { version: "0.0.0", commit: "unknown" });
  Object.assign(scripts, core.scripts, problem.scripts);
});

/** Modules in new files. A module that was loaded once stays loaded, so each test needs its own. */
function freshModules(): NodeJS.Require {
  const directory = mkdtempSync(join(tmpdir(), "cni-wrappers-modules-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(directory, `${name}.js`), script);
  return createRequire(join(directory, "main.js"));
}

/** The modules that the core loads in a call, until the delegate replaces it or the call ends. */
function loaded(command: string, configuration: object, outline?: string): string[] {
  const require = freshModules();
  const loads: string[] = [];
  Object.assign(globalThis, {
    load(name: string) {
      loads.push(name);
      return require(`./${name}.js`);
    },
  });
  let until: string[] | undefined;
  const replace = () => {
    until = [...loads];
    throw new Error("replaced");
  };
  const machine: Partial<Machine> = {
    pid: () => 1,
    executable: () => "/opt/cni/bin/cni-wrappers",
    now: () => 0,
    readStdin: () => 0,
    decodeUtf8: () => JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...configuration }),
    outline: () => outline,
    inspect: () => 3,
    // A renamed interface has a record.
    readFile: (path) => (path.endsWith(":eth1") ? JSON.stringify(recordOf({ ifName: "eth1" })) : undefined),
    listDirectory: () => [],
    stat: () => undefined,
    removeFile: () => {},
    appendLine: () => 0,
    writeText: () => 0,
    exec: () => replace(),
    execWithPieces: () => replace(),
  };
  const env = {
    CNI_COMMAND: command,
    CNI_CONTAINERID: "blue",
    CNI_NETNS: "/run/netns/blue",
    CNI_IFNAME: "eth0",
    CNI_PATH: "/opt/cni/bin",
  };
  require("./main.js").main(machine, ["/opt/cni/bin/bridge-wrapper"], env);
  return until ?? loads;
}

const second = { wrapper: { ifName: "eth1" }, prevResult: bothResult };

test.each([
  ["CHECK", second],
  ["CHECK", {}],
  ["STATUS", {}],
  ["VERSION", {}],
])("%s, handed over, needs no more than every call does", (command, configuration) => {
  expect(loaded(command, configuration)).toEqual([]);
});

test("other parts are loaded once, by the calls that need them", () => {
  expect(loaded("DEL", {})).toEqual(["later"]);
  expect(loaded("CHECK", { ...second, wrapper: { ifName: "eth1", log: { file: "/l", level: "info" } } })).toEqual([
    "later",
    "rare",
  ]);
  expect(loaded("GC", {}).toSorted()).toEqual(["later", "rare"]);
});

test("a large configuration needs its own part, on CHECK only", () => {
  const outline = '[{"cniVersion":"1.0.0","name":"zone","more":0},["more",50,90000]]';
  expect(loaded("CHECK", {}, outline)).toEqual(["large"]);
  expect(loaded("STATUS", {}, outline)).toEqual([]);
});

test("the parts that format an error are loaded with it", () => {
  expect(loaded("CHECK", { name: "a/b" })).toEqual(["problem", "rare"]);
});
