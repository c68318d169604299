import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { expectPassed, withoutAddresses } from "../e2e/calls.ts";
import { bridge, hostLocal, macvlan, wrapped, zone } from "../e2e/support.ts";
import { cards, exampleHost, examples, listOf } from "../support/examples.ts";
import { Lab } from "../support/lab.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import { isPossible } from "../support/needs.ts";
import { smallest } from "./host-with.ts";

// All processes of a lab end at once, as in a power cut. The next lab with its disk has the same files, and another boot id.

const list = zone(
  "1.1.0",
  wrapped({ ...macvlan, ipam: hostLocal("172.16.5.0/24") }),
  wrapped({ ...bridge, ipam: hostLocal("172.26.64.0/20") }, "eth1"),
  wrapped({ type: "tuning", mtu: 1400 }, "eth1"),
);

/** A call that is cut, the verb after the next boot, and the interfaces that had their addresses completely: ADD must keep these. */
type Moment = readonly [cut: string, recover: "ADD" | "DEL" | "GC", keeps?: readonly string[]];

// 1 is the plugin's first call of the verb. A list's DEL begins with its last plugin. Some moments leave the same files as
// their neighbours. These have another verb.
const moments: readonly Moment[] = [
  ["ADD before 1 macvlan", "ADD"],
  ["ADD before 1 host-local", "DEL"],
  ["ADD after 1 host-local", "ADD"],
  ["ADD after 1 macvlan", "DEL"],
  ["ADD after 1 macvlan-wrapper", "ADD", ["eth0"]],
  ["ADD before 1 bridge", "GC"],
  ["ADD after 2 host-local", "ADD", ["eth0"]],
  ["ADD after 1 bridge", "GC"],
  ["ADD before 1 tuning", "ADD", ["eth0", "eth1"]],
  ["ADD after 1 tuning-wrapper", "DEL"],
  ["DEL before 1 tuning-wrapper", "ADD", ["eth0", "eth1"]],
  ["DEL after 1 tuning", "DEL"],
  ["DEL before 1 bridge", "ADD", ["eth0", "eth1"]],
  ["DEL before 1 host-local", "GC"],
  ["DEL after 1 host-local", "ADD", ["eth0", "eth1"]],
  ["DEL after 1 bridge-wrapper", "GC"],
  ["DEL before 1 macvlan", "ADD", ["eth0"]],
  ["DEL after 2 host-local", "DEL"],
  ["DEL after 1 macvlan", "ADD", ["eth0"]],
  ["DEL after 1 macvlan-wrapper", "GC"],
];

/** Every moment has a container of its own. */
const cuts = moments.map(([cut, recover, keeps = []], index) => ({
  ...{ cut, recover, keeps },
  container: { name: `c${index}`, netns: `/run/netns/c${index}` },
}));
type Cut = (typeof cuts)[number];

const wrappers = path.dirname(smallest);
const shims = "/opt/cni/shims";
const reached = "/run/lab/moments";
const names = ["host-local", ...["macvlan", "bridge", "tuning"].flatMap((name) => [name, `${name}-wrapper`])];

// Counts a plugin's calls of one verb for a container, and waits at the container's moment. Everything else goes to the
// plugin.
const shim = `#!/bin/sh
name=\${0##*/}
own=${reached}/$CNI_CONTAINERID
[ -f "$own" ] || exec "/opt/cni/bin/$name"
read -r verb when number plugin <"$own"
[ "$verb $plugin" = "$CNI_COMMAND $name" ] || exec "/opt/cni/bin/$name"
echo >>"$own.calls"
[ "$(wc -l <"$own.calls")" -eq "$number" ] || exec "/opt/cni/bin/$name"
wait_for_the_cut() { : >"$own.reached"; exec sleep 10000; }
[ "$when" = after ] || wait_for_the_cut
"/opt/cni/bin/$name" >"$own.answer"
wait_for_the_cut
`;

type Addresses = Readonly<Record<string, readonly string[]>>;

/** Brings a container to each moment, and cuts the power there. Returns the addresses that each had. */
async function cutPower(disk: string): Promise<ReadonlyMap<Cut, Addresses>> {
  await using lab = await Lab.start({ disk, wrappers });
  await lab.run("mkdir", [reached]);
  await lab.writeScript(`${shims}/shim`, shim);
  await lab.run("sh", ["-ec", `cd ${shims}; for name; do ln -s shim "$name"; done`, "sh", ...names]);
  const had = new Map<Cut, Addresses>();
  for (const each of cuts) {
    const { cut, container } = each;
    await lab.addContainer(container.name);
    const verb = cut.startsWith("DEL") ? "del" : "add";
    if (verb === "del") expectPassed(await lab.goCni.add(list, container));
    if (verb === "del") had.set(each, await lab.kernel.allAddresses(container));
    await lab.writeFile(`${reached}/${container.name}`, `${cut}\n`);
    void lab.goCni[verb](list, container, { pluginPath: shims });
    const isReached = () => lab.readdir(reached);
    await expect.poll(isReached, { timeout: 60_000, message: cut }).toContain(`${container.name}.reached`);
    if (verb === "add") had.set(each, await lab.kernel.allAddresses(container));
  }
  return had;
}

test("the power is cut in 20 calls at once: a verb finishes or removes each after the reboot, and the others keep what they have", {
  timeout: 400_000,
}, async () => {
  await using disk = await mkdtempDisposable(path.join(tmpdir(), "disk-"));
  const had = await cutPower(disk.path);
  await using lab = await Lab.start({ disk: disk.path, wrappers });
  // ADD comes last, so every DEL and GC has others that it must leave alone.
  const isAdd = ({ recover }: Cut) => Number(recover === "ADD");
  let before = await tracesOf(lab);
  for (const each of cuts.toSorted((one, other) => isAdd(one) - isAdd(other))) {
    const { cut, recover, container } = each;
    const isOwn = (trace: string) => new RegExp(`\\b${container.name}\\b`).test(trace);
    if (recover === "ADD") await finish(lab, each, had.get(each) ?? {});
    // After a reboot the namespace is gone.
    if (recover === "DEL") expectPassed(await lab.goCni.del(list, { ...container, netns: "" }));
    // GC could hide what DEL left.
    if (recover === "DEL") expect((await tracesOf(lab)).filter(isOwn), cut).toEqual([]);
    const others = cuts.filter((other) => other !== each);
    const valid = others.map(({ container: { name } }) => ({ containerID: name, ifname: "eth0" }));
    if (recover !== "ADD") expectPassed(await lab.goCni.gc(list, valid));
    const after = await tracesOf(lab);
    expect(after, cut).toEqual(before.filter((trace) => !isOwn(trace)));
    before = after;
  }
});

/** ADD passes, and gives the addresses of before. CHECK passes, and sees that one is gone. DEL passes. */
async function finish(lab: Lab, { cut, container, keeps }: Cut, had: Addresses): Promise<void> {
  await lab.addContainer(container.name);
  expectPassed(await lab.goCni.add(list, container));
  expectPassed(await lab.goCni.check(list, container));
  const has = await lab.kernel.allAddresses(container);
  const subnets = { eth0: [expect.stringMatching(/^172\.16\.5\./)], eth1: [expect.stringMatching(/^172\.26\.64\./)] };
  expect(has, cut).toEqual(subnets);
  for (const name of keeps) expect(has[name], `${cut}, ${name}`).toEqual(had[name]);
  for (const name of Object.keys(has))
    await withoutAddresses(lab, container, name, async () => {
      expect((await lab.goCni.check(list, container)).exitCode, `${cut}, ${name}`).toBe(1);
    });
  expectPassed(await lab.goCni.del(list, container));
}

/** The traces of all containers, sorted. Those of leases get the container's name, which only the file has. */
async function tracesOf(lab: Lab): Promise<string[]> {
  const traces = await leftOfContainers(lab, ["disc0"]);
  const named = traces.map(async (trace) => {
    const [, file] = /^lease (.*)/.exec(trace) ?? [];
    return file ? `${trace} of ${(await lab.readFile(`/var/lib/cni/networks/${file}`)).split(/\s/)[0]}` : trace;
  });
  return (await Promise.all(named)).sort();
}

describe.each(Object.entries(examples))("%s.conflist", (name, example) => {
  test.runIf(isPossible(example))("comes back after a reboot with its addresses, and DEL leaves nothing", async () => {
    await using disk = await mkdtempDisposable(path.join(tmpdir(), "disk-"));
    const [list, { options, bridges }] = [listOf(name), example];
    const attach = async (lab: Lab) => {
      const container = await lab.addContainer("c1");
      expectPassed(await lab.goCni.add(list, container, options));
      return { container, addresses: await lab.kernel.allAddresses(container) };
    };
    const first = await exampleHost(disk.path);
    const before = await attach(first);
    await first[Symbol.asyncDispose]();
    await using lab = await exampleHost(disk.path);
    expect([await lab.kernel.cachedResults(), await lab.kernel.journals()]).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ]);
    const { container, addresses } = await attach(lab);
    expect(addresses).toEqual(before.addresses);
    expectPassed(await lab.goCni.check(list, container, options));
    await withoutAddresses(lab, container, Object.keys(example.addresses).at(-1) ?? "", async () => {
      expect((await lab.goCni.check(list, container, options)).exitCode).toBe(1);
    });
    expectPassed(await lab.goCni.del(list, container, options));
    const links = ["ens18", ...cards, ...cards.map((card) => `far-${card}`), ...bridges];
    expect(await leftOfContainers(lab, links)).toEqual([]);
  });
});
