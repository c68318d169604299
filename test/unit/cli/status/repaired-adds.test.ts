import { execFileSync } from "node:child_process";
import { lchownSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repairedAdds } from "../../../../cli/status/repaired-adds.ts";
import { scratch } from "../../../support/scratch.ts";

const directory = scratch();
const file = join(directory, "log");

const again = "an earlier try was not completed: undoing it before ADD";
const reboot = "attached before this boot: undoing it before ADD";
const gone = "attached in a namespace that is gone: undoing it before ADD";
const always = "wrapper.recover is always: undoing an earlier attachment before ADD";

function line(level: string, message: string, pid = 7, ifName = "eth0"): string {
  return `${JSON.stringify({ time: "t", level, pid, command: "ADD", containerId: "c1", ifName, network: "zone", message })}\n`;
}

const repair = line("warn", again);
const failing = "delegate failed ADD: no";

test.each<[string, string[], number, number]>([
  ["an empty log", [], 0, 0],
  ["a second ADD that passes", [repair, line("info", "delegate passed ADD")], 1, 0],
  ["a second ADD that fails", [repair, line("error", failing)], 0, 1],
  ["a DEL that fails before it", [repair, line("error", "delegate failed DEL: no")], 1, 0],
  ["a delegate that dies in the second ADD", [repair, line("error", "it was killed by SIGKILL")], 0, 1],
  ["a reboot", [line("warn", reboot)], 1, 0],
  ["a namespace that is gone", [line("warn", gone)], 1, 0],
  ["recover: always", [line("warn", always)], 1, 0],
  ["two repairs of one call", [line("warn", reboot), repair], 1, 0],
  ["another call that fails", [repair, line("error", failing, 8)], 1, 0],
  ["a later call of another interface that fails", [repair, line("error", failing, 7, "net1")], 1, 0],
  ["calls without a repair", [line("error", failing), line("error", "x; running the delegate's DEL")], 0, 0],
  ["a line that is cut, and one without an end", [`{"message":"${reboot}\n`, repair.trimEnd()], 1, 0],
])("%s", async (_, lines, passed, failed) => {
  writeFileSync(file, lines.join(""));
  expect(await repairedAdds(file)).toEqual({ file, passed, failed });
});

test("a line that is too long to be one of the wrappers is left out, and no other one is lost", async () => {
  const long = line("warn", again, 3).replace("{", `{"more":"${"x".repeat(300_000)}",`);
  writeFileSync(file, `${line("warn", again, 1)}${long}${line("warn", again, 2)}`);
  expect(await repairedAdds(file)).toMatchObject({ passed: 3 });
  expect(await repairedAdds(file, 100_000)).toMatchObject({ passed: 2 });
});

function withoutContent(file: string): void {
  writeFileSync(file, "");
  truncateSync(file, 16 * 1024 ** 3 + 1);
}

function linkOfAnother(file: string): void {
  symlinkSync("/etc/hostname", file);
  lchownSync(file, 65534, 65534);
}

test.each<[string, string, (file: string) => void]>([
  ["a pipe", "it is not a regular file", (file) => execFileSync("mkfifo", [file])],
  ["a device without an end", "it is not a regular file", (file) => symlinkSync("/dev/zero", file)],
  ["a huge file without content", "it has more than 16 GiB; rotate it", withoutContent],
  ["a link of another user", "it is a link of another user", linkOfAnother],
])("%s in the place of the log is trouble", async (_, reason, make) => {
  make(file);
  await expect(repairedAdds(file)).rejects.toThrow(RegExp(`^${file}: ${reason}`));
});

test("more repaired ADDs than a host has, which somebody may have made up, are trouble", async () => {
  const most = Array.from({ length: 100_000 }, (_, pid) => `{"pid":${pid},"message":"${again}"}\n`);
  writeFileSync(file, most.join(""));
  expect(await repairedAdds(file)).toMatchObject({ passed: 100_000 });
  writeFileSync(file, `${most.join("")}${repair}`);
  await expect(repairedAdds(file)).rejects.toThrow(`${file}: it has more than 100,000 repaired ADDs; rotate it`);
});

test("a log that does not exist has no lines, and one that cannot be read is trouble", async () => {
  expect(await repairedAdds(join(directory, "none"))).toMatchObject({ passed: 0, failed: 0 });
  await expect(repairedAdds(directory)).rejects.toThrow(`${directory}: is a directory`);
});
