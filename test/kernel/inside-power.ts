import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Container, Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import type { Moment } from "./moments.ts";
import type { Problems } from "./reboots.ts";
import { sharedFolder, untilThere } from "./second-kernel.ts";

const shims = "/opt/cni/shims";
const plugins = ["macvlan", "bridge", "tuning"];

/** The list of every moment. Its `eth0` is macvlan, its `eth1` bridge. */
export const list: NetworkList = {
  cniVersion: "1.1.0",
  name: "zone",
  plugins: [
    { type: "macvlan-wrapper", master: "uplink0", ipam: leased("172.16.5.0/24") },
    {
      type: "bridge-wrapper",
      wrapper: { ifName: "eth1" },
      bridge: "disc0",
      isGateway: true,
      ipam: leased("172.26.64.0/20"),
    },
    { type: "tuning-wrapper", wrapper: { ifName: "eth1" }, mtu: 1400 },
  ],
};

// Counts a plugin's calls of one verb for a container, and waits at the container's moment. Everything else goes to the
// plugin.
const shim = `#!/bin/sh
name=\${0##*/}
own=/run/lab/moments/$CNI_CONTAINERID
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

/** A container of a host, with the moment at which its call is cut. */
export interface Cut extends Moment {
  readonly container: Container;
}

/** Attaches or detaches a container for each moment. All wait at their moments. Returns the problems of each. */
export async function comeToMoments(moments: readonly Moment[]): Promise<Problems> {
  mkdirSync(`${sharedFolder}/disk`, { recursive: true });
  // The power ends this lab.
  const lab = await Lab.start({ disk: `${sharedFolder}/disk` });
  await installShims(lab);
  const found: Problems = {};
  for (const each of cutsOf(moments)) found[each.cut] = await comeTo(lab, each);
  return found;
}

/** Every moment has a container of its own. */
export function cutsOf(moments: readonly Moment[]): Cut[] {
  return moments.map((moment, index) => ({
    ...moment,
    container: { name: `c${index}`, netns: `/run/netns/c${index}` },
  }));
}

async function installShims(lab: Lab): Promise<void> {
  await lab.run("mkdir", ["/run/lab/moments"]);
  await lab.writeScript(`${shims}/shim`, shim);
  const names = ["host-local", ...plugins, ...plugins.map((each) => `${each}-wrapper`)];
  await lab.run("sh", ["-ec", `cd ${shims}; for name; do ln -s shim "$name"; done`, "sh", ...names]);
}

async function comeTo(lab: Lab, { cut, container }: Cut): Promise<string[]> {
  const moment = `/run/lab/moments/${container.name}`;
  const shimmed = { pluginPath: shims };
  await lab.addContainer(container.name);
  const isOfDel = cut.startsWith("DEL");
  if (isOfDel) {
    const { exitCode, stderr } = await lab.goCni.add(list, container);
    if (exitCode !== 0) return [`ADD: ${stderr}`];
    await rememberAddresses(lab, container);
  }
  await lab.writeFile(moment, `${cut}\n`);
  const call = isOfDel ? lab.goCni.del(list, container, shimmed) : lab.goCni.add(list, container, shimmed);
  const ended = call.then(({ stderr }) => [`the moment did not come: ${stderr}`]);
  const problems = await Promise.race([ended, untilThere(lab.path(`${moment}.reached`)).then(() => [])]);
  if (!isOfDel) await rememberAddresses(lab, container);
  return problems;
}

async function rememberAddresses(lab: Lab, { name, netns }: Container): Promise<void> {
  writeFileSync(addressFile(name), JSON.stringify(await lab.kernel.allAddresses({ name, netns })));
}

/** The addresses that a container had before the power was cut, by interface. */
export function rememberedAddresses({ name }: Container): Record<string, string[]> {
  return JSON.parse(readFileSync(addressFile(name), "utf8"));
}

function addressFile(name: string): string {
  return `${sharedFolder}/addresses-${name}.json`;
}

function leased(subnet: string): object {
  return { type: "host-local", ranges: [[{ subnet }]] };
}
