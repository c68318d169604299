import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { hostLocal } from "../e2e/support.ts";
import { Lab, type Outcome } from "../support/lab.ts";

// Plugins of other projects. No package registry has them: OTHER_PLUGINS is a directory with their executables.

/** A bridge for eth0. With a gateway: route-override's CHECK compares every route with its own interface's gateways. */
export const front = {
  type: "bridge",
  bridge: "front0",
  isGateway: true,
  ipam: hostLocal("172.30.0.0/20", { dst: "0.0.0.0/0", gw: "172.30.0.1" }),
};

/** A macvlan for eth1. */
export const lan = { type: "macvlan", master: "uplink0", mode: "bridge", ipam: hostLocal("172.16.5.0/24") };

/** Says whether the executable of a plugin is there. */
export function isGiven(name: string): boolean {
  return existsSync(fileOf(name));
}

/** Says whether this host has a program. */
export function isOnPath(program: string): boolean {
  return ["/usr/sbin", "/usr/bin"].some((directory) => existsSync(path.join(directory, program)));
}

function fileOf(name: string): string {
  return path.join(process.env.OTHER_PLUGINS || "/nowhere", name);
}

/** Makes a lab with a plugin and a link for its wrapper. */
export async function withPlugin(name: string): Promise<Lab> {
  const lab = await Lab.start({ programs: { [name]: fileOf(name) } });
  await lab.run("ln", ["-s", `/run/lab/programs/${name}`, `${Lab.pluginPath}/${name}`]);
  await lab.run("ln", ["-s", "cni-wrappers", `${Lab.pluginPath}/${name}-wrapper`]);
  return lab;
}

/** Expects that a call succeeded, whatever the plugin writes to stderr. */
export function expectExit0({ exitCode, stderr }: Outcome): void {
  expect(exitCode, stderr).toBe(0);
}
