import { globSync } from "node:fs";
import path from "node:path";
import { exampleDirectory, exampleHost } from "../support/examples.ts";
import { Lab } from "../support/lab.ts";
import { afterAll, beforeAll, describe, expect, test } from "../support/lab-test.ts";
import { lintFixtures, needsJq } from "../support/lint-fixtures.ts";
import { wronglyTold } from "../support/lint-truth.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectPassed } from "./calls.ts";
import { testMistakes, withBridge } from "./mistake-support.ts";
import { bridge, front, macvlan, named, wrapped, zone } from "./support.ts";

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
  return lab.call(Lab.command, ["lint", ...args]);
}

// Each is for a host of its own: several have the same subnet.
test("each example is clean with the plugins that it is run with", async () => {
  const examples = globSync("*.conflist", { cwd: exampleDirectory });
  for (const name of examples) {
    const pluginPath = name === "drop-in.conflist" ? `/opt/cni/first:${Lab.pluginPath}` : Lab.pluginPath;
    expect([name, await codesOf(pluginPath, path.join(exampleDirectory, name))]).toEqual([name, []]);
  }
});

test("lists with jq fail for the said reason, or pass", async () => {
  expect(await wronglyTold(lintFixtures().filter(needsJq))).toEqual([]);
});

describe("an operator's mistake on a host with a running container", () => {
  testMistakes({
    "the program in wrapper.jq has a mistake": {
      list: withBridge({ wrapper: { ifName: "eth1", jq: ".mtu = " } }),
      says: ["zone c1 fails: bridge-wrapper", "jq", "syntax error"],
    },
  });
});

const both = zone(wrapped({ ...macvlan, master: "ens18" }), wrapped(bridge, "eth1"));
const dropIn = zone({ ...macvlan, master: "ens18" }, { ...bridge, wrapper: { ifName: "eth1" } });

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

describe("what lint finds between two lists is so with the real plugins", () => {
  const shop = named("shop", bridge);
  const codesOfBoth = async (lab: Lab, ...lists: NetworkList[]) => {
    const files = lists.map((list) => [`/run/lab/net.d/${list.name}.conflist`, JSON.stringify(list)] as const);
    for (const [file, text] of files) await lab.writeFile(file, text);
    const { stdout } = await lab.call(Lab.command, ["lint", "--json", "/run/lab/net.d"]);
    return JSON.parse(stdout).map(({ code }: { code: string }) => code);
  };

  test("overlapping-ranges: two containers have one address", async ({ lab }) => {
    const first = named("first", bridge);
    expect(await codesOfBoth(lab, first, shop)).toEqual(["overlapping-ranges"]);
    const addresses = { eth0: ["172.26.64.2/20"] };
    expect(await lab.kernel.allAddresses(await attached(lab, lab.goCni, first, "c1"))).toEqual(addresses);
    expect(await lab.kernel.allAddresses(await attached(lab, lab.goCni, shop, "c2"))).toEqual(addresses);
  });

  test("shared-bridge: ADD of the second list fails", async ({ lab }) => {
    const first = named("first", { ...bridge, ipam: front.ipam });
    expect(await codesOfBoth(lab, first, shop)).toEqual(["shared-bridge"]);
    await attached(lab, lab.goCni, first, "c1");
    const outcome = await lab.goCni.add(shop, await lab.addContainer("c2"));
    expectFailure(outcome, /"disc0" already has an IP address different from 172\.26\.64\.1\/20/);
  });

  test("taken-network: a container in both loses masquerading when it leaves one", async ({ lab }) => {
    const list = zone(wrapped(macvlan), wrapped({ ...bridge, ipMasq: true }, "eth1"));
    const other = named("zone-eth1", { ...front, bridge: "front1", ipMasq: true });
    expect(await codesOfBoth(lab, other, list)).toEqual(["taken-network"]);
    const container = await attached(lab, lab.cnitool, list);
    expectPassed(await lab.cnitool.addAs("net1", other, container));
    const masquerading = async () => (await lab.kernel.packetRules()).filter((rule) => rule.includes("MASQUERADE"));
    expect(await masquerading()).toHaveLength(1);
    expectPassed(await lab.cnitool.del(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual({ net1: ["172.30.0.2/20"] });
    expect(await masquerading()).toEqual([]);
  });
});
