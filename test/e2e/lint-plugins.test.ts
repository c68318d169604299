import { globSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleDirectory, exampleHost } from "../support/examples.ts";
import { Lab } from "../support/lab.ts";
import { lintFixtures, needsJq } from "../support/lint-fixtures.ts";
import { wronglyTold } from "../support/lint-truth.ts";
import type { NetworkList } from "../support/runtime.ts";
import { bridge, macvlan, wrapped, zone } from "./support.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await exampleHost();
});
afterAll(() => lab[Symbol.asyncDispose]());

/** The codes that `lint --cni-path` finds, each once. */
async function codesOf(cniPath: string, ...files: string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await lint("--json", `--cni-path=${cniPath}`, ...files);
  expect({ exitCode, stderr }).toEqual({ exitCode: stdout === "[]" ? 0 : 1, stderr: "" });
  const findings: { code: string }[] = JSON.parse(stdout);
  return [...new Set(findings.map(({ code }) => code))];
}

function lint(...args: string[]) {
  return lab.call(`${Lab.pluginPath}/cni-wrappers`, ["lint", ...args]);
}

test("the examples are clean with the plugins that they are run with", async () => {
  const examples = globSync("*.conflist", { cwd: exampleDirectory }).map((name) => path.join(exampleDirectory, name));
  const isDropIn = (file: string) => file.endsWith("drop-in.conflist");
  expect(await codesOf(Lab.pluginPath, ...examples.filter((file) => !isDropIn(file)))).toEqual([]);
  expect(await codesOf(`/opt/cni/first:${Lab.pluginPath}`, ...examples.filter(isDropIn))).toEqual([]);
});

test("lists with jq fail for the said reason, or pass", async () => {
  expect(await wronglyTold(lintFixtures().filter(needsJq))).toEqual([]);
});

const both = zone("1.0.0", wrapped({ ...macvlan, master: "ens18" }), wrapped(bridge, "eth1"));
const dropIn = zone("1.0.0", { ...macvlan, master: "ens18" }, { ...bridge, wrapper: { ifName: "eth1" } });

interface Fault {
  readonly code: string;
  readonly list: NetworkList;
  /** Commands that spoil a directory with a copy of all plugins. */
  readonly spoil: string;
  /** A part of ADD's error. */
  readonly error: string;
}

const faults: readonly Fault[] = [
  { code: "missing-plugin", list: both, spoil: "rm bridge-wrapper", error: 'failed to find plugin "bridge-wrapper"' },
  { code: "missing-delegate", list: both, spoil: "rm macvlan", error: "delegate macvlan is missing" },
  { code: "missing-ipam", list: both, spoil: "rm host-local", error: 'failed to find plugin "host-local"' },
  {
    code: "not-executable",
    list: both,
    spoil: "rm macvlan-wrapper; echo >macvlan-wrapper",
    error: "permission denied",
  },
  { code: "drop-in-not-installed", list: dropIn, spoil: "rm bridge-wrapper", error: "already exists" },
];

describe("what lint finds in --cni-path fails with the real plugins", () => {
  test.each(faults)("$code", async ({ code, list, spoil, error }) => {
    const directory = `/opt/cni/${code}`;
    // A wrapper also looks for plugins next to its executable, so the executable must be in the directory.
    const script = `mkdir ${directory} && cd ${directory} && ln -s ${Lab.pluginPath}/* . && rm cni-wrappers *-wrapper &&
      touch cni-wrappers && mount --bind /run/lab/wrappers/cni-wrappers cni-wrappers &&
      for plugin in bridge macvlan; do ln -s cni-wrappers $plugin-wrapper; done; ${spoil}`;
    await lab.run("sh", ["-c", script]);
    const file = `/run/lab/net.d/${code}.conflist`;
    await lab.writeFile(file, JSON.stringify(list));
    expect(await codesOf(directory, file)).toEqual([code]);
    const container = await lab.addContainer(code);
    const outcome = await lab.goCni.add(list, container, { pluginPath: directory });
    expect(outcome).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(error) });
  });
});
