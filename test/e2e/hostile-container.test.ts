import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { snapshot } from "../support/snapshot.ts";
import { attached, expectPassed } from "./calls.ts";
import { bridge, front, portmap, published, wrapped, zone } from "./support.ts";

// A container with CAP_NET_ADMIN can change everything in its own namespace, which the wrappers and the plugins read.

const list = zone("1.1.0", wrapped({ ...front, ipMasq: true }), wrapped({ ...bridge, ipMasq: true }, "eth1"), portmap);

/** What the container does with ip(8) in its own namespace. `theirs` is an address of its neighbour, with the prefix. */
const deeds: Record<string, (theirs: string) => string[]> = {
  "takes the neighbour's address": (theirs) => [
    "address flush dev eth0",
    `address add ${theirs} dev eth0`,
    `address add ${theirs} dev eth1`,
  ],
  "swaps its interfaces": () => [
    "link set eth0 down",
    "link set eth1 down",
    "link set eth0 name x",
    "link set eth1 name eth0",
    "link set x name eth1",
  ],
  "makes 500 interfaces, and one with the signs of a shell, of JSON and of a terminal": () => [
    ...Array.from({ length: 250 }, (_, index) => `link add a${index} type veth peer name b${index}`),
    `link add '$(id)";\u001b[2J' type veth peer name '{"a"}'`,
  ],
  "removes its interfaces, and puts another one in their place": () => [
    "link del eth0",
    "link del eth1",
    "link add eth0 type veth peer name eth1",
  ],
};

test.for(Object.entries(deeds))(
  "a container that %s: CHECK and DEL do not touch its neighbour",
  async ([_, deedsFor], { lab }) => {
    const neighbour = await attached(lab, lab.goCni, list, "c2", published(8082));
    const before = await stateOf(lab, neighbour);
    const rules = await lab.kernel.packetRules();
    const hostile = await attached(lab, lab.goCni, list, "c1", published(8081));
    const [theirs = ""] = await lab.kernel.addresses(neighbour, "eth0");
    await batch(lab, hostile, deedsFor(theirs));
    await lab.goCni.check(list, hostile, published(8081));
    await lab.goCni.del(list, hostile, published(8081));
    await lab.deleteNamespace(hostile);
    expectPassed(await lab.goCni.del(list, { ...hostile, netns: "" }, published(8081)));
    await expect.poll(() => stateOf(lab, neighbour)).toEqual(before);
    expect(await lab.kernel.packetRules()).toEqual(expect.arrayContaining(rules));
    expectPassed(await lab.goCni.check(list, neighbour, published(8082)));
    expectPassed(await lab.goCni.del(list, neighbour, published(8082)));
    // As with the plain plugins, the hostile container's own masquerading rules stay if its addresses were gone at DEL.
    expect((await lab.kernel.packetRules()).filter((rule) => / id: ..c2/.test(rule) || rule.includes("8081"))).toEqual(
      [],
    );
    expect([await lab.kernel.leases(), await lab.kernel.journals(), await lab.kernel.cachedResults()]).toEqual([
      [],
      [],
      [],
    ]);
    await expect.poll(() => lab.kernel.linkNames()).toEqual(["lo", "uplink1", "uplink0", "front0", "disc0"]);
  },
);

/** Links, addresses, routes and settings of the host and of the container, and all files except host-local's counters. */
async function stateOf(lab: Lab, container: Container) {
  const { namespaces, files } = await snapshot(lab, container);
  return { namespaces, files: Object.entries(files).filter(([file]) => !file.includes("last_reserved_ip")) };
}

function batch(lab: Lab, container: Container, lines: readonly string[]): Promise<string> {
  return lab.run("ip", ["-n", container.name, "-batch", "-"], { input: `${lines.join("\n")}\n` });
}
