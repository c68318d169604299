import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratch } from "../../support/scratch.ts";
import { runCommand } from "../support/fake-terminal.ts";

const forged = "x\nforged: no mistakes";
const directory = scratch();
beforeEach(() => {
  for (const name of ["results", "config"]) mkdirSync(join(directory, name));
});

async function linesOf(...args: string[]): Promise<string[]> {
  const host = ["--cache-dir", directory, "--config-dir", join(directory, "config")];
  const { stdout, stderr } = await runCommand([...args, ...(args[0] === "lint" ? [] : host)], { directory });
  return `${stdout}${stderr}`.split("\n");
}

function attach(containerId: string, text?: string): void {
  const cached = { kind: "cniCacheV1", networkName: "zone", containerId, ifName: "eth0", netns: "/proc/self/ns/net" };
  writeFileSync(join(directory, `results/zone-${containerId}-eth0`), text ?? JSON.stringify(cached));
}

test.each([
  ["a plugin's type", "lint", () => list("zone.conflist", forged)],
  ["a file's name", "lint", () => list(`${forged}.conflist`, "macvlan")],
  ["a file's name, of a file that cannot be read", "lint", () => mkdirSync(join(directory, `config/${forged}.conf`))],
  ["a container's id", "preflight", () => attach(forged)],
  ["a result's name", "preflight", () => attach(forged, "{")],
  ["a plugin's type in an error", "preflight", () => [attach("c1"), list("zone.conflist", forged)]],
  ["a container's id", "adopt", () => attach(forged)],
  ["a plugin's type in an error", "adopt", () => [attach("c1"), list("zone.conflist", forged)]],
])("a line break in %s is no line of %s's report", async (_, command, make) => {
  make();
  const args = command === "lint" ? ["lint", join(directory, "config")] : [command];
  const lines = await linesOf(...args);
  expect(lines.filter((line) => line.startsWith("forged"))).toEqual([]);
  expect(lines.join("\n")).toContain("x\\nforged: no");
});

function list(name: string, type: string): void {
  const value = { cniVersion: "1.0.0", name: "zone", plugins: [{ type }, { type: "portmap" }] };
  writeFileSync(join(directory, "config", name), JSON.stringify(value));
}
