import { Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectNothingLeft, expectSuccess } from "./calls.ts";
import { bridge, inTurn, macvlan, wrapped, zone } from "./support.ts";

const layer2Bridge = { type: "bridge", bridge: "hbr2" };
const layer2Macvlan = { type: "macvlan", master: "uplink0", mode: "bridge" };

const cases = [
  {
    title: "a bridge as eth1",
    list: zone(wrapped(macvlan), wrapped(layer2Bridge, "eth1")),
    missing: "Interface name eth1 not found",
  },
  {
    title: "a macvlan as eth1",
    list: zone(wrapped(bridge), wrapped(layer2Macvlan, "eth1")),
    missing: "container Interface name in prevResult: eth1 not found",
  },
  { title: "a bridge as eth0, alone", list: zone(wrapped(layer2Bridge)), missing: "Interface name eth0 not found" },
  {
    title: "a macvlan as eth0, alone",
    list: zone(wrapped(layer2Macvlan)),
    missing: "container Interface name in prevResult: eth0 not found",
  },
];

test.each(inTurn(cases))(
  "without ipam, $title passes ADD, CHECK and DEL and has no address, and CHECK sees its loss ($plugins, $runtime)",
  async ({ plugins, runtime, list, missing }) => {
    await using lab = await Lab.start({ plugins });
    const container = await attached(lab, lab[runtime], list);
    const name = list.plugins.length === 1 ? "eth0" : "eth1";
    expect(await lab.kernel.addresses(container, name)).toEqual([]);
    expectSuccess(await lab[runtime].check(list, container));
    expectSuccess(await lab[runtime].del(list, container));
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    const bridges = list.plugins.map((plugin) => plugin.bridge).filter((name) => typeof name === "string");
    await expectNothingLeft(lab, bridges);
    expectSuccess(await lab[runtime].add(list, container));
    await lab.ip(container, "link", "delete", name);
    expectFailure(await lab[runtime].check(list, container), missing);
  },
);

test("a plain bridge without ipam fails CHECK before 1.10.0: the reason to add ipam on CHECK", async () => {
  await using lab = await Lab.start({ plugins: "1.9.1" });
  const list = zone(layer2Bridge);
  const container = await attached(lab, lab.runtime, list);
  expectFailure(await lab.runtime.check(list, container), "no plugin name provided");
});

test.for([
  ["wrapped", wrapped(layer2Bridge)],
  ["plain", layer2Bridge],
] as const)("from 1.10.0 on, CHECK of a bridge without ipam needs no IPAM plugin: %s", async ([_, plugin], { lab }) => {
  const list = zone(plugin);
  const container = await attached(lab, lab.runtime, list);
  await lab.run("umount", [`${Lab.pluginPath}/static`]);
  await lab.run("rm", [`${Lab.pluginPath}/static`]);
  expectSuccess(await lab.runtime.check(list, container));
});
