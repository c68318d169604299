import { expect, test } from "vitest";
import type { PluginVersion } from "../support/go.ts";
import { type Container, Lab } from "../support/lab.ts";
import { normalise } from "../support/normalise.ts";
import { callPlugin } from "../support/plugin-call.ts";
import { snapshot, withoutRecords } from "../support/snapshot.ts";
import { bridge, hostLocal, inTurn } from "./support.ts";

// A wrapper fails like its plain plugin: the same answer, the same exit code, the same leftovers. The tables of the options
// (surface.test.ts) have more wrong configurations and results.

type Json = Record<string, unknown>;

interface Wrong {
  readonly title: string;
  readonly config: Json | string;
  readonly env?: Record<string, string>;
  /** An earlier fault. */
  readonly before?: (lab: Lab, container: Container) => Promise<unknown>;
  /** A part of the message, so that both fail for the expected reason. */
  readonly message: string;
}

/** bridge in the network `zone`. */
const zoneBridge = { cniVersion: "1.0.0", name: "zone", ...bridge };

/** Calls that fail with the same error. */
const wrongs: readonly Wrong[] = [
  {
    title: "bridge: a subnet that is used up",
    config: { ...zoneBridge, ipam: hostLocal("172.26.64.0/30") },
    before: (lab) => lease(lab, "c2", "172.26.64.2"),
    message: "no IP addresses available in range set",
  },
  {
    title: "bridge: an existing interface",
    config: zoneBridge,
    before: (lab, container) => lab.ip(container, "link", "add", "eth0", "type", "veth"),
    message: "already exists",
  },
  {
    title: "bridge: default routes from two places",
    config: {
      ...zoneBridge,
      isDefaultGateway: true,
      ipam: {
        type: "host-local",
        ranges: [[{ subnet: "172.26.64.0/20" }], [{ subnet: "fd00:26::/64" }]],
        routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
      },
    },
    message: "file exists",
  },
  {
    title: "bridge: a missing namespace",
    config: zoneBridge,
    env: { CNI_NETNS: "/run/netns/missing" },
    message: 'failed to open netns \\"/run/netns/missing\\"',
  },
  {
    title: "bridge: a version that does not exist",
    config: { ...zoneBridge, cniVersion: "9.9.9" },
    message: "incompatible CNI versions",
  },
  {
    title: "bridge: CHECK in a version without it",
    config: { ...zoneBridge, cniVersion: "0.3.1" },
    env: { CNI_COMMAND: "CHECK" },
    message: "config version does not allow CHECK",
  },
  {
    title: "bridge: GC in a version without it",
    config: zoneBridge,
    env: { CNI_COMMAND: "GC" },
    message: "config version does not allow GC",
  },
];

test.each(inTurn(wrongs))("the same error as plain (plugins $plugins): $title", async (wrong) => {
  const [plain, inside] = await bothFailures(wrong.plugins, wrong);
  expect(plain).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(wrong.message) });
  expect(inside).toEqual(plain);
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

function lease(lab: Lab, id: string, address: string): Promise<string> {
  const directory = "/var/lib/cni/networks/zone";
  return lab.run("sh", ["-c", 'mkdir -p "$0"; printf "%s\\r\\neth0" "$1" >"$0/$2"', directory, id, address]);
}
