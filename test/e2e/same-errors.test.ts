import { expect, test } from "vitest";
import type { PluginVersion } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { normalise } from "../support/normalise.ts";
import { callPlugin } from "../support/plugin-call.ts";
import { snapshot, withoutRecords } from "../support/snapshot.ts";
import { bridge, inTurn } from "./support.ts";
import { type Wrong, wrongs, zoneBridge } from "./wrong-calls.ts";

// A wrapper fails like its plain plugin: the same answer, the same exit code, the same leftovers.

/** Calls that no runtime with libcni makes. The wrapper answers them itself, in its own words. */
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
    title: "bridge: a container id with a slash",
    config: zoneBridge,
    env: { CNI_CONTAINERID: "a/b" },
    message: "containerID",
  },
  {
    title: "bridge: an interface name of 16 bytes",
    config: zoneBridge,
    env: { CNI_IFNAME: "sixteen-bytes-00" },
    message: "interface name",
  },
  {
    title: "bridge: an interface name with a slash",
    config: zoneBridge,
    env: { CNI_IFNAME: "eth/0" },
    message: "interface name",
  },
  {
    title: "bridge: an invalid verb",
    config: zoneBridge,
    env: { CNI_COMMAND: "FOO" },
    message: "FOO",
  },
  {
    title: "bridge: no network name",
    config: { ...bridge, cniVersion: "1.0.0" },
    message: "network name",
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
  {
    title: "bridge: no configuration",
    config: "",
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
