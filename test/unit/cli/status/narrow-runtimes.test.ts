import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { narrowRuntimes } from "../../../../cli/status/installation.ts";
import { scratch } from "../../../support/scratch.ts";

const directory = scratch();

/** Writes the files of a process as proc_pid_limits(5), proc_pid_comm(5) and proc_pid_status(5) have them. */
function run(pid: number, name: string, addressSpace: string): void {
  mkdirSync(join(directory, String(pid)));
  writeFileSync(join(directory, `${pid}/comm`), `${name}\n`);
  symlinkSync("/", join(directory, `${pid}/root`));
  writeFileSync(join(directory, `${pid}/status`), "Uid:\t7\t7\t7\t7\n");
  const limits = [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    "Max open files            1048576              1048576              files     ",
    `Max address space         ${addressSpace.padEnd(20)} unlimited            bytes     `,
  ];
  writeFileSync(join(directory, `${pid}/limits`), `${limits.join("\n")}\n`);
}

const own = 7;

test("a runtime with a low limit is named, and no other process", () => {
  run(812, "nomad", "1048576000");
  run(813, "nomad", "unlimited");
  run(814, "containerd", "2147483648");
  run(815, "crio", "2147483647");
  run(818, "dockerd", "1");
  run(816, "sleep", "1048576000");
  mkdirSync(join(directory, "self"));
  mkdirSync(join(directory, "817"));
  expect(narrowRuntimes(directory, own)).toEqual([
    { name: "nomad", pid: 812, addressSpace: 1_048_576_000 },
    { name: "crio", pid: 815, addressSpace: 2_147_483_647 },
    { name: "dockerd", pid: 818, addressSpace: 1 },
  ]);
});

test("a process of another user does not count, whatever its name", () => {
  run(812, "nomad", "1048576000");
  expect(narrowRuntimes(directory, own + 1)).toEqual([]);
});

test("this host's processes can be read", () => {
  expect(() => narrowRuntimes()).not.toThrow();
});
