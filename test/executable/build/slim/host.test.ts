import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect } from "vitest";
import { skipEmulated } from "../../support/emulator.ts";
import { apart, bin, delegates, errorOf, Machine, test } from "../../support/machine.ts";

// What the Rust host does, and Node does by itself. `npm run test:mutation` runs these tests with faults in Rust.

const file = join(bin, "cni-wrappers");

test("a panic ends a call with one CNI error", async ({ skip }) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  // The kernel never says that it has written more than it got, so this is as good a bug as any.
  const strace = "strace -qq -o /dev/null -e trace=write -e inject=write:retval=99999:when=1";
  const env = { CNI_COMMAND: "VERSION", PATH: process.env.PATH };
  for (const [redirection, words] of [
    ["", /^panicked at .*99999 out of range/s],
    ["2>/dev/full", /^$/],
  ] as const) {
    const script = `${strace} ${file} ${redirection}`;
    const ended = await execa("sh", ["-c", script], { env, extendEnv: false, input: "{}", reject: false });
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(words) });
    expect(JSON.parse(ended.stdout)).toMatchObject({ code: 999, msg: "internal error of the wrapper" });
  }
});

test("a plugin that would be in another process namespace, where nobody could end it, is not started", async ({
  machine,
}) => {
  const configuration = { wrapper: { log: { file: machine.path("log") } } };
  const ended = await machine.call({ command: "DEL", configuration, through: ["unshare", "--pid"] });
  expect(errorOf(ended)).toMatchObject({ code: 104, details: expect.stringContaining("ESRCH") });
  expect(machine.calls()).toEqual([]);
});

test("a file of the wrapper's size that differs only at its end is another program", async ({ machine }) => {
  mkdirSync(machine.path("other"));
  const copy = readFileSync(file);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  machine.file("other/plain", copy, 0o755);
  const env = { CNI_PATH: `${machine.path("other")}:${delegates}`, CNI_WRAPPERS_LOG: machine.path("log") };
  expect(await machine.call({ command: "DEL", env })).toMatchObject({ exitCode: 0, stdout: "{}" });
  // It is a wrapper, too, and writes a line of its own.
  expect(String(machine.read("log")).match(/\n/g)).toHaveLength(2);
});

test("a FIFO instead of the network namespace is not waited for", async ({ machine }) => {
  await execa`mkfifo ${machine.path("netns")}`;
  expect(await machine.call()).toMatchObject({ exitCode: 0, stdout: "{}" });
});

/** A command under strace that lets every second one of these system calls fail, from the first one on. */
function failing(calls: string, error: string): string[] {
  return ["strace", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}:when=1+2`];
}

test.for(["openat", "read", "write", "wait4", "recvfrom"])(
  "%s that a signal interrupts is tried again",
  async (calls, { skip }) => {
    skipEmulated(skip, "strace does not see the calls of a program in qemu");
    for (const command of ["ADD", "DEL"]) {
      const machine = new Machine();
      const env = { CNI_NETNS: "/proc/self/ns/net", CNI_IFNAME: "lo" };
      const configuration = { wrapper: { log: { file: machine.path("log"), level: "debug" } } };
      const ended = await machine.call({ command, env, configuration, through: failing(calls, "EINTR") });
      expect(ended).toEqual({ exitCode: 0, signal: undefined, stdout: "{}", stderr: "" });
      expect(machine.calls()).toEqual([command]);
      expect(String(machine.read("log"))).toContain(command);
      // An ADD passes without the index, too.
      if (command === "ADD") expect(String(machine.read("lib/cni/wrappers/blue/zone:lo"))).toContain('"before":1,');
    }
  },
);

test.for(["EAGAIN", "ENOMEM"])(
  "a child that cannot be made, %s, is an error that names the cause",
  async (error, { machine, skip }) => {
    skipEmulated(skip, "strace does not see the calls of a program in qemu");
    const through = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=clone", "-e", `inject=clone:error=${error}`];
    const details = expect.stringContaining(`/plain: ${error}`);
    expect(errorOf(await machine.call({ through }))).toMatchObject({ code: 104, details });
  },
);

test("a delegate whose answer cannot be read has ended before the wrapper does, and the next ADD undoes it first", async ({
  skip,
}) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  const add = async (inject: readonly string[]) => {
    const machine = new Machine();
    const note = (what: string) => `echo "$CNI_COMMAND ${what}" >>"$SCRATCH/order"\n`;
    machine.file("plain", `#!/bin/sh\n${note("begins")}sleep 0.3\n${note("ends")}echo "{}"\n`, 0o755);
    const through = ["strace", "-qq", "-y", "-e", "trace=read", "-o", machine.path("trace"), ...inject];
    const env = { CNI_PATH: machine.directory };
    const { exitCode } = await machine.call({ env, through });
    const trace = String(machine.read("trace"));
    if (exitCode !== 0) await machine.call({ env });
    return { exitCode, trace, order: String(machine.read("order")) };
  };
  const { trace } = await add([]);
  const nth = 1 + trace.split("\n").findIndex((line) => /^read\([1-9]\d*<pipe:/.test(line));
  expect(nth).toBeGreaterThan(1);
  const { exitCode, order } = await add(["-e", `inject=read:error=EIO:when=${nth}`]);
  expect(exitCode).toBe(1);
  expect(order.trim().split("\n")).toEqual(["ADD", "DEL", "ADD"].flatMap((verb) => [`${verb} begins`, `${verb} ends`]));
});

test("an answer of the kernel that could not be received is not taken for the next one", async ({ machine, skip }) => {
  skipEmulated(skip, "strace does not see the calls of a program in qemu");
  const path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  machine.file("plain", `#!/bin/sh\n${path} ip link add eth0 index 7 type veth peer name far0\necho "{}"\n`, 0o755);
  const script = `
    mount -t tmpfs none /var/lib
    strace -qq -o /dev/null -e trace=recvfrom -e inject=recvfrom:error=ENOMEM:when=1 "$@"
    cat /var/lib/cni/wrappers/blue/* >"$SCRATCH/journal"`;
  const env = { CNI_PATH: machine.directory, CNI_NETNS: "/proc/self/ns/net" };
  await machine.call({ env, through: ["unshare", "--net", ...apart(script)] });
  const [began, done] = String(machine.read("journal"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  // The first question was whether there is an interface already.
  expect([began, done]).toMatchObject([{ line: "began" }, { line: "done", made: 7 }]);
  expect(began).not.toHaveProperty("before");
});
