import { readFileSync } from "node:fs";
import path from "node:path";
import { type List, listOf } from "../../cli/lists/list.ts";
import { parseListFile } from "../../cli/lists/list-file.ts";
import { olderAttachments } from "../../cli/wrap/attached.ts";
import type { Known } from "../../cli/wrap/decide.ts";
import { decide } from "../../cli/wrap/decide.ts";
import { wrappedText } from "../../cli/wrap/edits.ts";
import { decideUnwrapping, unwrappedText } from "../../cli/wrap/unwrap.ts";
import { joinLayer2, layer2 } from "../nomad/networks.ts";
import { installScripts, scriptPath } from "../nomad/scripts.ts";
import { exampleDirectory, exampleHost } from "../support/examples.ts";
import { expect, test } from "../support/lab-test.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectPassed, withoutAddresses } from "./calls.ts";
import { bridge, macvlan, portmap, zone } from "./support.ts";

// The unit tests hold that `wrap` gives most of the examples, byte for byte. These are the other lists.

function listIn(text: string): List {
  const list = listOf(parseListFile("zone.conflist", text));
  if (!list) throw new Error("not a list");
  return list;
}

function wrap(text: string, known?: Known): NetworkList {
  const list = listIn(text);
  return JSON.parse(wrappedText(list, decide(list, known)));
}

/** The plain list of an example, as `unwrap` gives it. */
function plainExample(name: string): string {
  const list = listIn(readFileSync(path.join(exampleDirectory, `${name}.conflist`), "utf8"));
  return unwrappedText(list, decideUnwrapping(list));
}

const macvlan18 = { ...macvlan, master: "ens18" };
const exampleLinks = ["ens18", "ens19", "ens20", "far-ens19", "far-ens20"];
const ports = [{ hostPort: 25000, containerPort: 80, protocol: "tcp" as const }];

/** Plain lists, their interfaces in the wrapped list, the bridges that stay, and the interface to lose if it is not the last. */
const plainLists: Readonly<
  Record<string, readonly [text: string, interfaces: readonly string[], bridges: readonly string[], lost?: string]>
> = {
  "layer-2": [plainExample("layer-2"), ["eth0", "eth1"], ["wire0", "wire1"], "eth0"],
  routed: [plainExample("routed"), ["eth0", "eth1"], []],
  "source-routing": [plainExample("source-routing"), ["eth0", "eth1"], []],
  "virtual-machine": [plainExample("virtual-machine"), ["eth0", "eth1"], ["machine0"]],
  "chained plugins between creators": [
    JSON.stringify(
      zone(bridge, { type: "firewall", backend: "iptables" }, portmap, macvlan18, { type: "tuning", mtu: 1400 }),
    ),
    ["eth0", "eth1"],
    ["disc0"],
  ],
};

test.each(Object.entries(plainLists))(
  "%s: the wrapped list passes, and CHECK sees a loss",
  async (_, [text, names, bridges, lost = names.at(-1) ?? ""]) => {
    const list = wrap(text);
    await using lab = await exampleHost();
    const [one, two] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
    expect(await lab.goCni.add(list, one, { ports })).toMatchObject({ exitCode: 0 });
    expect((await lab.kernel.linkNames(one)).sort()).toEqual([...names, "lo"]);
    expect(await lab.goCni.add(list, two)).toMatchObject({ exitCode: 0 });
    expectPassed(await lab.goCni.check(list, one, { ports }));
    await withoutAddresses(lab, two, lost, async () => {
      expect(await lab.goCni.check(list, two)).toMatchObject({ exitCode: 1 });
    });
    expect(await lab.goCni.del(list, one, { ports })).toMatchObject({ exitCode: 0 });
    expect(await lab.goCni.del(list, two)).toMatchObject({ exitCode: 0 });
    expect(await leftOfContainers(lab, [...exampleLinks, ...bridges])).toEqual([]);
  },
);

test("one bridge without a gateway: the wrapped list passes when another port changes the bridge's MAC", async ({
  lab,
}) => {
  const list = wrap(JSON.stringify(zone(layer2)));
  const container = await attached(lab, lab.goCni, list);
  await joinLayer2(lab);
  expectPassed(await lab.goCni.check(list, container));
  await withoutAddresses(lab, container, "eth0", async () => {
    expect(await lab.goCni.check(list, container)).toMatchObject({ exitCode: 1 });
  });
  expectPassed(await lab.goCni.del(list, container));
  expect(await leftOfContainers(lab, ["wire0", "port0", "port1"])).toEqual([]);
});

test("containers of the bash and jq script: the state directories say their names and leases", async ({ lab }) => {
  const text = JSON.stringify(zone(macvlan, bridge));
  await installScripts("workaround")(lab);
  const [old, late] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
  expectPassed(await lab.goCni.add(JSON.parse(text), old, { pluginPath: scriptPath }));
  await lab.run("rm", ["-r", "/opt/cni/bin/script"]);
  const parsed = listOf(parseListFile("zone.conflist", text));
  const read = () => (parsed ? olderAttachments(parsed, lab.path("/var/lib/cni"), () => {}) : []);
  expect(read()).toEqual([{ containerId: "c1", interfaces: ["eth0", "eth1"], leased: ["eth1"] }]);
  const list = wrap(text, { older: read() });
  expect(list.plugins[1]?.wrapper).toEqual({ ifName: "eth1", network: "zone" });
  expectPassed(await lab.goCni.check(list, old));
  expectPassed(await lab.goCni.add(list, late));
  expectPassed(await lab.goCni.check(list, late));
  // The wrappers' own container is not one of the script.
  expect(read().map(({ containerId }) => containerId)).toEqual(["c1"]);
  await lab.ip(old, "address", "flush", "dev", "eth1");
  expect(await lab.goCni.check(list, old)).toMatchObject({ exitCode: 1 });
  for (const container of [old, late]) expectPassed(await lab.goCni.del(list, container));
  expect(await leftOfContainers(lab, ["disc0"])).toEqual([]);
});
