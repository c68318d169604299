import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasProgram, processesNamed, runProgram } from "../../../../cli/host/programs.ts";
import { scratch } from "../../../support/scratch.ts";

const directory = scratch();

// More than a pipe takes: if nobody reads it, writing it fails (EPIPE).
const input = "in".repeat(500_000);

test.each([
  ["its output", "cat; echo out >&2", { passed: true, stdout: input, problem: "sh: out" }],
  ["the last line of stderr", "printf '%s\\n' one two >&2; exit 3", { passed: false, stdout: "", problem: "sh: two" }],
  ["its exit code", "exit 3", { passed: false, stdout: "", problem: "sh: exit code 3" }],
])("a program tells %s, whether it reads its input or not", (_, script, answer) => {
  expect(runProgram("sh", ["-c", script], input)).toEqual(answer);
});

test("a program that is not there did not pass", () => {
  expect(runProgram("/nowhere/program", [])).toEqual({
    ...{ passed: false, stdout: "", problem: "spawnSync /nowhere/program ENOENT" },
  });
});

test("a program is in one of the directories, and executable", () => {
  const [first, second] = [join(directory, "first"), join(directory, "second")];
  for (const folder of [first, second]) mkdirSync(folder);
  writeFileSync(join(second, "ip"), "");
  const isThere = () => hasProgram("ip", `${first}:${second}`);
  expect(isThere()).toBe(false);
  chmodSync(join(second, "ip"), 0o755);
  expect([isThere(), hasProgram("ip", first)]).toEqual([true, false]);
});

test("processes have the name, and the owner has started them", () => {
  const owner = 7;
  const put = (id: string, comm: string, users = "7\t7\t7\t7", root = "/") => {
    mkdirSync(join(directory, id));
    symlinkSync(root, join(directory, id, "root"));
    writeFileSync(join(directory, id, "comm"), `${comm}\n`);
    writeFileSync(join(directory, id, "status"), `Name:\t${comm}\nUid:\t${users}\nGid:\t0\t0\t0\t0\n`);
  };
  for (const [id, comm] of [
    ["12", "nomad"],
    ["13", "nomad-agent"],
    ["7a", "nomad"],
    ["a7", "nomad"],
    ["14", "podman"],
  ] as const)
    put(id, comm);
  mkdirSync(join(directory, "15"));
  // A setuid program, through a user's link with the name.
  put("16", "nomad", "1000\t7\t7\t7");
  // A program of the owner's that runs for a user.
  put("18", "nomad", "7\t1000\t7\t1000");
  // Root of a container.
  put("19", "nomad", "7\t7\t7\t7", "/tmp");
  // The same, with the host's directory as its root.
  put("20", "nomad");
  for (const [id, namespace] of [
    ["self", "pid:[1]"],
    ["12", "pid:[1]"],
    ["14", "pid:[1]"],
    ["20", "pid:[2]"],
  ] as const) {
    mkdirSync(join(directory, id, "ns"), { recursive: true });
    symlinkSync(namespace, join(directory, id, "ns/pid"));
  }
  mkdirSync(join(directory, "17"));
  writeFileSync(join(directory, "17/comm"), "nomad\n");
  const found = [
    { name: "nomad", pid: 12, path: join(directory, "12") },
    { name: "podman", pid: 14, path: join(directory, "14") },
  ];
  expect(processesNamed(["nomad", "podman"], directory, owner)).toEqual(found);
  expect(processesNamed(["nomad"], directory, owner + 1)).toEqual([]);
});
