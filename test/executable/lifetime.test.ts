import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { describe, expect, onTestFinished } from "vitest";
import { apart, bin, delegates, errorOf, Machine, onMachine, stdinOf, test } from "./support/machine.ts";

describe("a delegate that the wrapper waits for", () => {
  test.for(["SIGKILL", "SIGTERM"] as const)("ends when the wrapper is ended by %s", async (signal, { machine }) => {
    const [command = "", ...args] = [...onMachine(machine), join(bin, "bridge-wrapper")];
    const wrapper = execa(command, args, {
      env: machine.environment({}),
      extendEnv: false,
      input: stdinOf({ delegate: "sleeps" }),
      reject: false,
      // The delegate has the streams, too. The runtime's end closes when the last process ends.
      stdout: "pipe",
      stderr: "pipe",
    });
    const delegate = await until(() => Number(machine.read("delegate-pid")));
    onTestFinished(() => end(delegate));
    expect(isRunning(delegate)).toBe(true);
    wrapper.kill(signal);
    // If the delegate kept sleeping, the test would time out.
    expect(await wrapper).toMatchObject({ signal, stdout: "" });
    await until(() => !isRunning(delegate));
  });

  test.for([126, 127])(
    "has its own exit code %i, which setpriv has for a failed start",
    async (exitCode, { machine }) => {
      machine.answer("ADD", '{"code":11,"msg":"try again later"}');
      const ended = await machine.call({ env: { EXIT_CODE: String(exitCode) } });
      expect(ended).toMatchObject({ exitCode, stderr: "" });
      expect(errorOf(ended)).toMatchObject({ code: 11, msg: "try again later" });
    },
  );

  test("is started by its path, and with no arguments", async ({ machine }) => {
    await machine.call({ delegate: "notes-command" });
    expect(machine.read("command")?.toString()).toBe(`/bin/sh\0${machine.environment({}).CNI_PATH}/notes-command\0`);
  });
});

describe("a program of the host", () => {
  /** Executables in the working directory that leave a trace of their run and fail. */
  function machineWithDecoys(): Machine {
    const machine = new Machine();
    for (const name of ["setpriv", "nsenter", "ip"])
      machine.file(name, `#!/bin/sh\necho ${name} >>"$SCRATCH/decoys"\nexit 1\n`, 0o755);
    symlinkSync(join(delegates, "reads-nothing"), machine.path("sbr"));
    return machine;
  }

  /** Starts a call on a host where /var/lib is empty. Only its PATH is changed. */
  function withPath(change: string): string[] {
    return apart(`mount -t tmpfs none /var/lib && ${change} && exec "$@"`);
  }

  /** sbr moves routes. The wrapper reads them with nsenter and ip. */
  function callSbr(machine: Machine, pathChange: string) {
    const sandbox = "/proc/self/ns/net";
    return machine.call({
      path: join(bin, "sbr-wrapper"),
      delegate: "sbr",
      env: { CNI_NETNS: sandbox, CNI_PATH: machine.directory },
      configuration: { prevResult: { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox }] } },
      through: withPath(pathChange),
    });
  }

  test.each(["unset PATH", "PATH=", "PATH=:", "PATH=.", "PATH=./", "PATH=:/nowhere:"])(
    "is never taken from the working directory: %s",
    async (change) => {
      const machine = machineWithDecoys();
      expect(await callSbr(machine, change)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(machine.read("decoys")).toBeUndefined();
    },
  );

  // The wrapper does not run a setpriv without --pdeathsig, such as BusyBox's.
  test("is taken from PATH, if it can do what is asked of it", async () => {
    const machine = machineWithDecoys();
    expect(await callSbr(machine, 'PATH="$SCRATCH"')).toMatchObject({ exitCode: 0, stderr: "" });
    expect(machine.read("decoys")?.toString()).toMatch(/^(nsenter\n)+$/);
  });

  test("is asked for an address from a router about ten times a second", async ({ machine }) => {
    machine.file("ip", '#!/bin/sh\necho >>"$SCRATCH/asked"\nexec /usr/sbin/ip "$@"\n', 0o755);
    const sandbox = "/proc/self/ns/net";
    machine.answer("ADD", JSON.stringify({ cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox }] }));
    const script = 'ip link add eth0 type veth peer name far0; PATH="$SCRATCH:$PATH"; exec "$@"';
    const configuration = { wrapper: { slaac: { wait: "1s" } } };
    await machine.call({ env: { CNI_NETNS: sandbox }, configuration, through: apart(script) });
    const asked = String(machine.read("asked")).length;
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(20);
  });
});

async function until<T>(seen: () => T): Promise<T> {
  for (let tries = 0; tries < 1500; tries++) {
    const found = seen();
    if (found) return found;
    await sleep(20);
  }
  throw new Error("it has not come within 30 seconds");
}

// An ended process may stay as a zombie until its parent waits for it.
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function end(pid: number): void {
  if (isRunning(pid)) process.kill(pid, "SIGKILL");
}
