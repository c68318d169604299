import { expect, test } from "vitest";
import { flannel } from "../support/go.ts";
import { type Container, Lab } from "../support/lab.ts";
import { attached, expectFailure, expectNothingLeft, expectPassed } from "./calls.ts";
import { failNext, flaky, installFlaky } from "./recovery-support.ts";
import { front, wrapped, zone } from "./support.ts";

// flannel's plugin runs bridge, with a configuration that it keeps by container id. If the wrapper is installed as `bridge`,
// the wrapper of flannel and a wrapper inside it see one call.

/** A directory before the plugins, in which the wrapper is called bridge. */
const options = { pluginPath: "/opt/cni/first:/opt/cni/bin" };
const memory = "/var/lib/cni/flannel";
const outer = {
  type: "flannel-wrapper",
  wrapper: { role: "creator", ifName: "eth1" },
  subnetFile: "/run/lab/subnet.env",
  dataDir: memory,
  delegate: { bridge: "flannel0" },
};
const list = zone("0.4.0", wrapped(front), outer);

test("ADD, CHECK and DEL: only flannel's wrapper remembers, and nothing is left", async () => {
  await using lab = await withFlannel();
  const container = await attached(lab, lab.goCni, list, "c1", options);
  expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["172.30.0.2/20"], eth1: ["10.244.7.2/24"] });
  expect(await lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
  const journal = await lab.readFile("/var/lib/cni/wrappers/c1/zone:eth0");
  const types = journal.match(/(?<="type":")\w+(?=","role")/g);
  expect(types).toEqual(["bridge", "flannel"]);
  expectPassed(await lab.goCni.check(list, container, options));
  expectPassed(await lab.goCni.del(list, container, options));
  await expectNoFlannelLeft(lab, container);
});

test("the last plugin fails once: the next ADD removes what flannel made, and adds it again", async () => {
  await using lab = await withFlannel();
  await installFlaky(lab);
  const failing = { ...list, plugins: [...list.plugins, flaky] };
  const container = await lab.addContainer("c1");
  await failNext(lab);
  expectFailure(await lab.goCni.add(failing, container, options), /not now/);
  expectPassed(await lab.goCni.add(failing, container, options));
  // Flannel hands on no address that is asked for, and host-local does not give the last one again.
  expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["172.30.0.2/20"], eth1: ["10.244.7.3/24"] });
  expect(await lab.kernel.leases()).toEqual(["zone/172.30.0.2", "zone-eth1/10.244.7.3"]);
  expectPassed(await lab.goCni.del(failing, container, options));
  await expectNoFlannelLeft(lab, container);
});

test("two flannels with one dataDir, as lint says: DEL leaves an interface and a lease", async () => {
  await using lab = await withFlannel();
  const first = { ...outer, wrapper: { role: "creator" }, delegate: { bridge: "flannel1" } };
  const both = zone("0.4.0", first, { ...outer, subnetFile: "/run/lab/other.env" });
  await lab.writeFile("/run/lab/other.env", subnet.replaceAll("10.244", "10.245"));
  await lab.writeFile("/run/lab/net.d/zone.conflist", JSON.stringify(both));
  const lint = await lab.call(Lab.command, ["lint", "--json", "/run/lab/net.d"]);
  expect(JSON.parse(lint.stdout)).toMatchObject([{ code: "shared-flannel" }]);
  const container = await attached(lab, lab.goCni, both, "c1", options);
  expect(await lab.readdir(memory)).toEqual(["c1"]);
  expectPassed(await lab.goCni.del(both, container, options));
  expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0"]);
  expect(await lab.kernel.leases()).toHaveLength(1);
});

test("two flannels without a dataDir: that of eth1 has a directory of its own, and DEL leaves nothing", async () => {
  await using lab = await withFlannel();
  const { dataDir: _, ...plugin } = outer;
  const first = { ...plugin, wrapper: { role: "creator" }, delegate: { bridge: "flannel1" } };
  const both = zone("0.4.0", first, { ...plugin, subnetFile: "/run/lab/other.env" });
  await lab.writeFile("/run/lab/other.env", subnet.replaceAll("10.244", "10.245"));
  const container = await attached(lab, lab.goCni, both);
  expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["10.244.7.2/24"], eth1: ["10.245.7.2/24"] });
  expect(await lab.readdir(`${memory}-zone-eth1`)).toEqual(["c1"]);
  expectPassed(await lab.goCni.check(both, container));
  expectPassed(await lab.goCni.del(both, container));
  await expectNoFlannelLeft(lab, container, ["flannel1", "flannel0"]);
  expect(await lab.readdir(`${memory}-zone-eth1`)).toEqual([]);
});

test("plain flannel has an `ifName` by now, and no `role`: DEL leaves nothing", async () => {
  await using lab = await withFlannel();
  const { dataDir: _, wrapper: __, ...plugin } = outer;
  const container = await attached(lab, lab.goCni, zone("0.4.0", { ...plugin, type: "flannel" }));
  const later = zone("0.4.0", { ...plugin, wrapper: { ifName: "eth0" } });
  expectPassed(await lab.goCni.check(later, container));
  expectPassed(await lab.goCni.del(later, container));
  await expectNoFlannelLeft(lab, container, ["flannel0"]);
});

test("the list names another dataDir by now, and a DEL fails: the next one still leaves nothing", async () => {
  await using lab = await withFlannel();
  const container = await attached(lab, lab.goCni, list);
  const edited = zone("0.4.0", wrapped(front), { ...outer, dataDir: `${memory}-new` });
  // flannel's DEL runs bridge, which is missing. Where flannel finds no file of the container, it passes, and removes nothing.
  await lab.run("sh", ["-ec", "mkdir /opt/cni/few; ln -s ../bin/flannel ../bin/flannel-wrapper /opt/cni/few"]);
  expectFailure(
    await lab.goCni.del(edited, container, { pluginPath: "/opt/cni/few" }),
    /failed to find plugin "bridge"/,
  );
  expectPassed(await lab.goCni.del(edited, container));
  await expectNoFlannelLeft(lab, container);
});

const subnet = "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.7.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=false\n";

/** A lab in which flanneld has written its file. */
async function withFlannel(): Promise<Lab> {
  const lab = await Lab.start({ programs: { flannel: await flannel() } });
  const links = [
    "ln -s /run/lab/programs/flannel /opt/cni/bin/flannel",
    "ln -s cni-wrappers /opt/cni/bin/flannel-wrapper",
    "mkdir /opt/cni/first",
    "ln -s ../bin/cni-wrappers /opt/cni/first/bridge",
  ];
  await lab.run("sh", ["-ec", links.join("; ")]);
  await lab.writeFile("/run/lab/subnet.env", subnet);
  return lab;
}

async function expectNoFlannelLeft(lab: Lab, container: Container, bridges = ["front0", "flannel0"]): Promise<void> {
  expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
  expect(await lab.readdir(memory)).toEqual([]);
  await expectNothingLeft(lab, bridges);
}
