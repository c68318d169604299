import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CachedAttachment, demandKnown, readAttachments } from "../../../../cli/live/cached-results.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { writeFile, writeList } from "../../support/written.ts";

const directory = scratch();

const paths = () => ({ configDirectories: [], cniPath: [], cacheDirectory: directory });

/** What the command says if it reads the results. */
function linesOf(): string[] {
  const lines: string[] = [];
  readAttachments(paths(), (line) => lines.push(line));
  return lines;
}

test("a cache that somebody named must be there", () => {
  expect(() => readAttachments(paths(), () => {}, "/elsewhere")).toThrow(`${directory}/results: there is no such file`);
});

test.each([
  ["c1-and", true],
  ["c2", true],
  ["more", false],
  ["c3", false],
])("--container %s names a container: %s", (containerId, isKnown) => {
  const all = ["c1-and-more", "c2"].map((id) => ({ network: "zone", containerId: id }) as CachedAttachment);
  const demand = () => demandKnown({ ...paths(), containerId }, all, []);
  if (isKnown) expect(demand).not.toThrow();
  else expect(demand).toThrow(`--container ${containerId}: no attachment has a container whose id begins with it`);
});

test("a usual cache that cannot be read is not an empty one", () => {
  symlinkSync("results", join(directory, "results"));
  expect(() => readAttachments(paths(), () => {}, directory)).toThrow(/results: its symbolic links form a circle$/);
});

test.each(["preflight", "adopt"])("%s names a result that it cannot read, and all is not well", async (command) => {
  writeFile(join(directory, "results/zone-c1-eth0"), "");
  for (const name of ["zone", "other", "zon"]) writeList(join(directory, `${name}.conflist`), { type: "ptp" });
  const run = (...args: string[]) =>
    runCommand([command, "--cache-dir", directory, "--config-dir", directory, ...args]);
  const line = `${directory}/results/zone-c1-eth0: it is not a JSON object; this attachment is left out\n`;
  expect(await run()).toMatchObject({ exitCode: 2, stderr: line });
  expect(await run("--network", "zone")).toMatchObject({ exitCode: 2, stderr: line });
  for (const other of ["other", "zon"])
    expect(await run("--network", other)).toMatchObject({ exitCode: 0, stderr: "" });
});

test.each([
  ["a pipe", (file: string) => spawnSync("mkfifo", [file]), "it is not a regular file"],
  [
    "a link that leads nowhere",
    (file: string) => symlinkSync("nowhere", file),
    "it is a link to a file that is missing",
  ],
])("%s among the results is named, and nothing waits for it", (_, make, reason) => {
  mkdirSync(join(directory, "results"));
  make(join(directory, "results/zone-c1-eth0"));
  expect(linesOf()).toEqual([expect.stringContaining(`${directory}/results/zone-c1-eth0: ${reason}`)]);
});

test("the reason is in words", () => {
  mkdirSync(join(directory, "results", "zone-c1-eth0"), { recursive: true });
  expect(linesOf()).toEqual([`${directory}/results/zone-c1-eth0: is a directory; this attachment is left out`]);
});

test("the options select attachments, and the loopback of go-cni is none", () => {
  mkdirSync(join(directory, "results"));
  for (const [networkName, containerId] of [
    ["zone", "abc"],
    ["zone", "bab"],
    ["shop", "abd"],
    ["cni-loopback", "abc"],
  ]) {
    writeResult(directory, { networkName, containerId });
  }
  writeFileSync(join(directory, "results/shop-x-eth0"), "");
  const read = (options: object) => {
    const lines: string[] = [];
    const { wanted, all } = readAttachments({ ...paths(), ...options }, (line) => lines.push(line), "/elsewhere");
    expect(all).toHaveLength(3);
    return [wanted.map(({ network, containerId }) => `${network} ${containerId}`), lines];
  };
  const unread = [`${directory}/results/shop-x-eth0: it is not a JSON object; this attachment is left out`];
  expect(read({})).toEqual([["shop abd", "zone abc", "zone bab"], unread]);
  expect(read({ network: "zone" })).toEqual([["zone abc", "zone bab"], []]);
  expect(read({ network: "shop" })).toEqual([["shop abd"], unread]);
  expect(read({ containerId: "ab" })).toEqual([["shop abd", "zone abc"], unread]);
  expect(read({ network: "zone", containerId: "ab" })).toEqual([["zone abc"], []]);
});

test.each([
  [["zone", "shop"], [], "no list and no attachment has this name; there are: shop, zone"],
  [[], ["zone", "zone"], "no list and no attachment has this name; there are: zone"],
  [[], [], "no list and no attachment has this name; there are none"],
])("a network that nothing has: lists %j, attachments %j", (lists, attached, words) => {
  const all = attached.map((network) => ({ network, containerId: "c1" })) as unknown as CachedAttachment[];
  const demand = (network: string) => demandKnown({ ...paths(), network }, all, lists);
  expect(() => demand("zoen")).toThrow(`--network zoen: ${words}`);
  for (const known of [...lists, ...attached]) expect(() => demand(known)).not.toThrow();
});
