import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readRules } from "../../../../cli/prune/read-rules.ts";
import { runCommand } from "../../support/fake-terminal.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rules-"));
  vi.stubEnv("PATH", directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const refuse = (words: string) => `echo first >&2; echo '${words}' >&2; exit 1`;

test("a program that fails is named, and the rules of the others count", () => {
  program("iptables-nft-save", refuse("no memory"));
  program("iptables-legacy-save", "echo '*filter'; echo '-A CNI-FORWARD -s 10.0.0.2/32 -j ACCEPT'; echo COMMIT");
  program("nft", refuse("no permission"));
  const { things, problems } = readRules([]);
  expect(things.map(({ name }) => name)).toEqual(["address:10.0.0.2"]);
  expect(problems).toEqual([
    "iptables-nft-save: no memory; packet rules may be left",
    "nft: no permission; packet rules may be left",
  ]);
});

test("a table that is not there is no failure, and one that cannot be read is", () => {
  const tables = '{"nftables":[{"metainfo":{}},{"table":{"family":"ip","name":"cni_hostport","handle":1}}]}';
  program("nft", `[ "$3" = tables ] && echo '${tables}' || { echo "$*: refused" >&2; exit 1; }`);
  expect(readRules([])).toEqual({
    things: [],
    problems: ["nft: --json list table ip cni_hostport: refused; packet rules may be left"],
  });
});

test("a host without these programs, or a kernel without nftables, has no rules", () => {
  expect(readRules([])).toEqual({ things: [], problems: [] });
  program("iptables-nft-save", refuse("iptables-nft-save: Failed to initialize nft: Protocol not supported"));
  expect(readRules([])).toEqual({ things: [], problems: [] });
});

test("a program that is there and does not run is missed", () => {
  writeFileSync(join(directory, "nft"), "", { mode: 0o644 });
  expect(readRules([]).problems).toEqual([expect.stringMatching(/^spawnSync nft EACCES; packet rules may be left$/)]);
});

test("prune tells that links and rules may be left", async () => {
  program("iptables-save", refuse("no memory"));
  mkdirSync(join(directory, "results"));
  writeFileSync(
    join(directory, "none.conflist"),
    '{ "cniVersion": "1.0.0", "name": "none", "plugins": [{ "type": "ptp" }] }',
  );
  const options = ["--cache-dir", directory, "--config-dir", directory, "--network", "none"];
  expect(await runCommand(["prune", ...options])).toMatchObject({
    exitCode: 2,
    stderr:
      "the host's interfaces: ip(8) is missing, or fails; links may be left\niptables-save: no memory; packet rules may be left\n",
  });
});
