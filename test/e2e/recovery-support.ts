import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type Container, Lab, type Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { bridge, macvlan, wrapped, zone } from "./support.ts";

/** The directory of the wrappers' journals. */
export const journals = "/var/lib/cni/wrappers";

/** The message of a plugin whose interface is there already. */
export const exists = /file exists|already exists/;

/** The message of host-local if the container has a lease. */
export const duplicate = /172\.16\.5\.2 has been allocated to c1, duplicate allocation is not allowed/;

/** A plugin for the end of a list. Its ADD fails as often as `failNext` says. */
export const flaky = { type: "flaky" };

/** Installs that plugin. If it does not fail, it runs another plugin. The default is tuning, which does nothing. */
export async function installFlaky(lab: Lab, name = flaky.type, otherwise = "/opt/cni/bin/tuning"): Promise<void> {
  const failure = `echo '{"cniVersion": "1.0.0", "code": 11, "msg": "not now"}'; exit 1`;
  const script = `if [ "$CNI_COMMAND" = ADD ] && rmdir "$(ls -d /run/lab/failures/* | head -n 1)"; then ${failure}; fi 2>/dev/null`;
  await lab.run("mkdir", ["-p", "/run/lab/failures"]);
  await installPlugin(lab, name, `${script}; exec ${otherwise}`);
}

/** Makes the next calls of the flaky plugin's ADD fail. */
export async function failNext(lab: Lab, times = 1): Promise<void> {
  const names = Array.from({ length: times }, () => `/run/lab/failures/${randomUUID()}`);
  await lab.run("mkdir", names);
}

/** Puts a shell script among the plugins. */
export function installPlugin(lab: Lab, name: string, script: string): Promise<void> {
  return lab.writeScript(`${Lab.pluginPath}/${name}`, `#!/bin/sh\n${script}\n`);
}

/** Leaves the host as a reboot does: another boot id, the files, but no container's namespace or interface. */
export async function rebooted(lab: Lab, old: Container, ...bridges: string[]): Promise<Container> {
  await lab.deleteNamespace(old);
  // The kernel removes a namespace's interfaces later.
  await expect.poll(() => lab.kernel.linkNames()).not.toContainEqual(expect.stringMatching(/^veth/));
  for (const name of bridges) await lab.ip(undefined, "link", "delete", name);
  await lab.writeFile("/run/lab/boot_id", `${randomUUID()}\n`);
  await lab.run("mount", ["--bind", "/run/lab/boot_id", "/proc/sys/kernel/random/boot_id"]);
  return lab.addContainer(old.name);
}

/** An interface's index, MAC and addresses. They change if the interface is made again. */
export async function identity(lab: Lab, container: Container, ifName: string): Promise<object> {
  const { ifindex, address } = await lab.kernel.link(container, ifName);
  return { ifindex, address, addresses: await lab.kernel.addresses(container, ifName) };
}

/** Expects that every ADD fails, and that the interface in its way and the leases do not change. */
export async function expectLeftAlone(
  lab: Lab,
  where: Container,
  ifName: string,
  add: () => Promise<Outcome>,
): Promise<void> {
  const before = [await identity(lab, where, ifName), await lab.kernel.leases()];
  for (const time of [1, 2]) {
    expect(await add(), `try ${time}`).toMatchObject({ exitCode: 1 });
    expect([await identity(lab, where, ifName), await lab.kernel.leases()], `after try ${time}`).toEqual(before);
  }
}

/** The list of two wrapped creators with more keys in each one's `wrapper`, and with more plugins. */
export function creators(wrapper: object = {}, ...more: Record<string, unknown>[]): NetworkList {
  const first = { ...wrapped(macvlan), wrapper };
  const second = { ...wrapped(bridge), wrapper: { ifName: "eth1", ...wrapper } };
  return zone(first, second, ...more);
}
