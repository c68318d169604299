import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleForSlim } from "../../../build/bundle.ts";
import type { Machine } from "../../../shared/host/slim/machine.ts";
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
function loaded(command: string, configuration: object): string[] {
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
    inspect: () => 3,
    readFile: () => undefined,
    listDirectory: () => [],
    stat: () => undefined,
    removeFile: () => {},
    appendLine: () => 0,
    writeText: () => 0,
    exec: () => replace(),
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
  ["DEL", second],
  ["GC", {}],
  ["STATUS", {}],
  ["VERSION", {}],
])("%s needs no more than every call does", (command, configuration) => {
  expect(loaded(command, configuration)).toEqual([]);
});

test("the part that words an error is loaded with it", () => {
  expect(loaded("CHECK", { name: "a/b" })).toEqual(["problem"]);
});
