import { existsSync, mkdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Container, Lab, type Outcome } from "../support/lab.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { AttachOptions, NetworkList } from "../support/runtime.ts";
import type { Moment, Problems } from "./reboots.ts";
import { sharedFolder } from "./second-kernel.ts";

const shims = "/opt/cni/shims";
const plugins = ["macvlan", "bridge", "portmap"];

const list: NetworkList = {
  cniVersion: "1.1.0",
  name: "zone",
  plugins: [
    { type: "macvlan-wrapper", master: "uplink0", ipam: leased("172.16.5.0/24") },
    {
      type: "bridge-wrapper",
      wrapper: { ifName: "eth1" },
      bridge: "disc0",
      isGateway: true,
      ipMasq: true,
      ipam: leased("172.26.64.0/20"),
    },
    { type: "portmap-wrapper", wrapper: { ifName: "eth1" }, capabilities: { portMappings: true }, snat: true },
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
interface Cut extends Moment {
  readonly container: Container;
  readonly options: AttachOptions;
}

/** Attaches or detaches a container for each moment. All wait at their moments. Returns the problems of each. */
export async function comeToMoments(moments: readonly Moment[]): Promise<Problems> {
  mkdirSync(`${sharedFolder}/disk`, { recursive: true });
  // The power ends this lab.
  const lab = await Lab.start({ plugins: "1.9.1", disk: `${sharedFolder}/disk` });
  await installShims(lab);
  const found: Problems = {};
  for (const each of cutsOf(moments)) found[each.cut] = await comeTo(lab, each);
  return found;
}

/** Finishes or removes what was cut. Returns what is wrong or left for each moment. */
export async function recoverMoments(moments: readonly Moment[]): Promise<Problems> {
  await using lab = await Lab.start({ plugins: "1.9.1", disk: `${sharedFolder}/disk` });
  const cuts = cutsOf(moments);
  const found: Problems = {};
  for (const each of cuts) {
    found[each.cut] = await (each.recover === "ADD" ? finish(lab, each) : remove(lab, each, cuts)).catch(
      (error: unknown) => [String(error)],
    );
  }
  const left = await leftOfContainers(lab, ["disc0"]);
  for (const { cut, container } of cuts) found[cut]?.push(...leftOf(container, left, cuts));
  return found;
}

function cutsOf(moments: readonly Moment[]): Cut[] {
  return moments.map((moment, index) => ({
    ...moment,
    container: { name: `c${index}`, netns: `/run/netns/c${index}` },
    options: { ports: [{ hostPort: 25080 + index, containerPort: 80, protocol: "tcp" }] },
  }));
}

async function installShims(lab: Lab): Promise<void> {
  await lab.run("mkdir", [shims, "/run/lab/moments"]);
  await lab.writeFile(`${shims}/shim`, shim);
  await lab.run("chmod", ["+x", `${shims}/shim`]);
  const names = ["host-local", ...plugins, ...plugins.map((each) => `${each}-wrapper`)];
  await lab.run("sh", ["-ec", `cd ${shims}; for name; do ln -s shim "$name"; done`, "sh", ...names]);
}

async function comeTo(lab: Lab, { cut, container, options }: Cut): Promise<string[]> {
  const moment = `/run/lab/moments/${container.name}`;
  const shimmed = { ...options, pluginPath: shims };
  await lab.addContainer(container.name);
  const isOfDel = cut.startsWith("DEL");
  if (isOfDel) {
    const { exitCode, stderr } = await lab.goCni.add(list, container, options);
    if (exitCode !== 0) return [`ADD: ${stderr}`];
  }
  await lab.writeFile(moment, `${cut}\n`);
  const call = isOfDel ? lab.goCni.del(list, container, shimmed) : lab.goCni.add(list, container, shimmed);
  const ended = call.then(({ stderr }) => [`the moment did not come: ${stderr}`]);
  return Promise.race([ended, existing(lab.path(`${moment}.reached`))]);
}

async function existing(file: string): Promise<string[]> {
  while (!existsSync(file)) await setTimeout(50, undefined, { ref: false });
  return [];
}

async function finish(lab: Lab, { container, options }: Cut): Promise<string[]> {
  const problems: string[] = [];
  await lab.addContainer(container.name);
  note(problems, "ADD", await lab.goCni.add(list, container, options));
  note(problems, "CHECK", await lab.goCni.check(list, container, options));
  for (const [name, subnet] of [
    ["eth0", "172.16.5."],
    ["eth1", "172.26.64."],
  ] as const) {
    const [address = "none", ...more] = await lab.kernel.addresses(container, name);
    if (!address.startsWith(subnet) || more.length > 0) problems.push(`${name} has ${[address, ...more]}`);
    await lab.ip(container, "address", "del", address, "dev", name);
    const { exitCode } = await lab.goCni.check(list, container, options);
    if (exitCode === 0) problems.push(`CHECK does not see that ${name} lost its address`);
    await lab.ip(container, "address", "add", address, "dev", name);
  }
  note(problems, "DEL", await lab.goCni.del(list, container, options));
  return problems;
}

/** GC takes every other container for valid: it must not remove what another call left. */
async function remove(lab: Lab, { container, options }: Cut, cuts: readonly Cut[]): Promise<string[]> {
  const problems: string[] = [];
  const others = cuts.map((each) => each.container.name).filter((name) => name !== container.name);
  // After a reboot the namespace is gone.
  note(problems, "DEL", await lab.goCni.del(list, { ...container, netns: "" }, options));
  const valid = others.map((containerID) => ({ containerID, ifname: "eth0" }));
  note(problems, "GC", await lab.goCni.gc(list, valid));
  return problems;
}

function note(problems: string[], what: string, { exitCode, stderr }: Outcome): void {
  if (exitCode !== 0) problems.push(`${what}: ${stderr}`);
}

/** The traces that name a container, and those that name none of them. */
function leftOf({ name }: Container, left: readonly string[], cuts: readonly Cut[]): string[] {
  const names = (trace: string, which: string) => new RegExp(`\\b${which}\\b`).test(trace);
  const isOfNobody = (trace: string) => !cuts.some(({ container }) => names(trace, container.name));
  return left.filter((trace) => names(trace, name) || isOfNobody(trace)).map((trace) => `left: ${trace}`);
}

function leased(subnet: string): object {
  return { type: "host-local", ranges: [[{ subnet }]] };
}
