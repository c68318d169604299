import { expect, test } from "vitest";
import type { PluginVersion } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { normalise } from "../support/normalise.ts";
import { callPlugin } from "../support/plugin-call.ts";
import { snapshot, withoutRecords } from "../support/snapshot.ts";
import { inTurn } from "./support.ts";
import { type Wrong, wrongs, zoneBridge } from "./wrong-calls.ts";

// A wrapper fails like its plain plugin: the same answer, the same exit code, the same leftovers.

/** Calls that no runtime with libcni makes. The wrapper answers them itself, in its own words. The tests of the executables have more. */
const malformed: readonly Wrong[] = [
  {
    title: "bridge: no namespace",
    config: zoneBridge,
    env: { CNI_NETNS: "" },
    message: "CNI_NETNS",
  },
  {
    title: "bridge: only CNI_COMMAND",
    config: zoneBridge,
    env: { CNI_CONTAINERID: "", CNI_IFNAME: "", CNI_NETNS: "" },
    message: "CNI_CONTAINERID",
  },
  {
    title: "bridge: an invalid verb",
    config: zoneBridge,
    env: { CNI_COMMAND: "FOO" },
    message: "FOO",
  },
  {
    title: "bridge: a network name with a slash",
    config: { ...zoneBridge, name: "a/b" },
    message: "network name",
  },
  {
    title: "bridge: configuration that is not JSON",
    config: "{ nothing",
    message: "",
  },
];

test.each(inTurn(wrongs))("the same error as plain (plugins $plugins): $title", async (wrong) => {
  const [plain, inside] = await bothFailures(wrong.plugins, wrong);
  expect(plain).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(wrong.message) });
  expect(inside).toEqual(plain);
});

test.each(inTurn(malformed))("the same code as plain (plugins $plugins): $title", async (wrong) => {
  const [plain, inside] = await bothFailures(wrong.plugins, wrong);
  const { stdout: ofPlain, ...plainRest } = plain;
  const { stdout: ofWrapped, ...wrappedRest } = inside;
  expect(plain.exitCode).toBe(1);
  expect(ofPlain).toContain(wrong.message);
  expect(JSON.parse(ofPlain).code).toEqual(expect.any(Number));
  expect(JSON.parse(ofWrapped).code).toBe(JSON.parse(ofPlain).code);
  expect(wrappedRest).toEqual(plainRest);
});

function bothFailures(plugins: PluginVersion, wrong: Wrong) {
  const plugin = wrong.title.split(":", 1)[0] ?? "";
  return Promise.all([failure(plugins, plugin, wrong), failure(plugins, `${plugin}-wrapper`, wrong)]);
}

/** Calls one plugin. Returns its answer and the state that it left. */
async function failure(plugins: PluginVersion, plugin: string, { config, env, before }: Wrong) {
  await using lab = await Lab.start({ plugins });
  const container = await lab.addContainer("c1");
  await before?.(lab, container);
  const outcome = await callPlugin(lab, container, { plugin, config, ...(env && { env }) });
  return normalise({ ...outcome, left: withoutRecords(await snapshot(lab, container)) });
}
