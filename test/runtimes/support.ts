import { expect } from "vitest";
import { hostLocal } from "../e2e/support.ts";
import type { Lab, Outcome } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";

type Plugin = Record<string, unknown>;

/** bridge with the default route: the runtime's own interface, eth0. */
export const bridge: Plugin = {
  type: "bridge",
  bridge: "disc0",
  isGateway: true,
  ipam: hostLocal("172.26.64.0/20", { dst: "0.0.0.0/0" }),
};

export const macvlan: Plugin = { type: "macvlan", master: "uplink0", mode: "bridge", ipam: hostLocal("172.16.5.0/24") };

export const portmap: Plugin = { type: "portmap", capabilities: { portMappings: true }, snat: true };

/** The message of the reference macvlan if bridge took the name first. */
export const nameTaken = /plugin type="macvlan" failed \(add\): .*failed to rename macvlan to "eth0": file exists\n?$/;

/** The host's links that stay: the lab's own and the bridge. */
export const hostLinks = ["lo", "uplink1", "uplink0", "disc0"];

/** The directory in which `makeRootfs` makes the root file system. */
export const rootfs = "/run/lab/rootfs";

/** Makes a root file system of one static program, with a page that a container can serve. */
export async function makeRootfs(lab: Lab): Promise<void> {
  await lab.run("sh", ["-euc", rootfsScript, "sh", rootfs]);
  // The dynamic busybox of another package would also match, and fail in every container.
  const { exitCode } = await lab.call("chroot", [rootfs, "/bin/busybox", "true"]);
  if (exitCode !== 0) throw new Error("this host's busybox is not static: install Debian's busybox-static");
}

const rootfsScript = `
  mkdir -p "$1/bin" "$1/www"
  cp "$(command -v busybox)" "$1/bin/busybox"
  for applet in httpd ip sleep; do ln -s busybox "$1/bin/$applet"; done
  printf 'from the container' >"$1/www/index.html"
`;

/** The IPv4 addresses of each interface in the output of `ip -4 -o address`, without loopback. */
export function addressesIn(text: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [, name = "", address = ""] of text.matchAll(/^\d+: (\S+)\s+inet (\S+)/gm)) {
    if (name !== "lo") found[name] = [...(found[name] ?? []), address];
  }
  return found;
}

/** The text of an outcome that must be a failure. */
export function failureOf({ exitCode, stderr }: Outcome): string {
  expect(exitCode).not.toBe(0);
  return stderr;
}

/**
 * Expects that nothing of any container is left on the host. Bridges stay. portmap keeps chains for all containers, but
 * they must not name a container's chain or address.
 */
export async function expectNoTraceOfContainers(lab: Lab, links: readonly string[]): Promise<void> {
  expect(await lab.kernel.linkNames()).toEqual(links);
  expect(await lab.kernel.leases()).toEqual([]);
  expect(await lab.kernel.cachedResults()).toEqual([]);
  expect(await lab.kernel.journals()).toEqual([]);
  expect(await rulesOfContainers(lab)).toEqual([]);
}
