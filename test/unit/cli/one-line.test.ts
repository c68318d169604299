import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
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
  const { stdout, stderr } = await runCommand([...args, ...(args.length > 1 ? [] : host)], { directory });
  return `${stdout}${stderr}`.split("\n");
}

function attach(containerId: string, text?: string): void {
  const cached = { kind: "cniCacheV1", networkName: "zone", containerId, ifName: "eth0", netns: "/proc/self/ns/net" };
  writeFileSync(join(directory, `results/zone-${containerId}-eth0`), text ?? JSON.stringify(cached));
}

test.each([
  ["a plugin's type", "lint", () => list("zone.conflist", forged)],
  ["a file's name", "lint", () => list(`${forged}.conflist`, "macvlan")],
  [
    "a file's name, of a file that cannot be read",
    "lint",
    () => symlinkSync(".", join(directory, `config/${forged}.conf`)),
  ],
  ["a plugin's type", "explain", () => list("zone.conflist", forged)],
  ["an interface's name", "unwrap", () => list("zone.conflist", "portmap-wrapper", { ifName: forged })],
  ["a container's id", "preflight", () => attach(forged)],
  ["a result's name", "preflight", () => attach(forged, "{")],
  ["a plugin's type in an error", "preflight", () => [attach("c1"), list("zone.conflist", forged)]],
  ["a container's id", "adopt", () => attach(forged)],
  ["a plugin's type in an error", "adopt", () => [attach("c1"), list("zone.conflist", forged)]],
])("a line break in %s is no line of %s's report", async (_, command, make) => {
  make();
  const places: Readonly<Record<string, string>> = { lint: "", explain: "zone.conflist", unwrap: "zone.conflist" };
  const place = places[command];
  const args = place === undefined ? [command] : [command, join(directory, "config", place)];
  const lines = await linesOf(...args);
  expect(lines.filter((line) => line.startsWith("forged"))).toEqual([]);
  expect(lines.join("\n")).toContain("x\\nforged: no");
});

test("a line break in a file's name is no line of what lint --fix says", async () => {
  list(`${forged}.conflist`, "portmap-wrapper", { ifname: "eth1" });
  const lines = await linesOf("lint", "--fix", join(directory, "config"));
  expect(lines.filter((line) => line.startsWith("forged"))).toEqual([]);
  expect(lines.join("\n")).toMatch(/x\\nforged: no mistakes\.conflist:\d+:\d+: fixed: /);
});

function list(name: string, type: string, wrapper?: object): void {
  const value = { cniVersion: "1.0.0", name: "zone", plugins: [{ type, wrapper }, { type: "portmap" }] };
  writeFileSync(join(directory, "config", name), JSON.stringify(value));
}
