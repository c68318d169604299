import { describe, expect } from "vitest";
import { skipEmulated } from "./support/emulator.ts";
import { apart, errorOf, handedOver, inTurn, Machine, test, through } from "./support/machine.ts";

const isSlim = process.env.CNI_WRAPPERS_FLAVOR === "slim";
const passed = { exitCode: 0, signal: undefined, stdout: "{}", stderr: "" };

describe("if no file may grow", () => {
  const call = { delegate: "only-answers", through: through('ulimit -f 0; exec "$@"') };

  test("CHECK passes: the delegate gets its stdin through a pipe", async () => {
    const ended = await new Machine().call({ command: "CHECK", ...call });
    expect(ended).toEqual({ ...passed, stdout: '{"cniVersion":"1.0.0"}\n' });
  });

  test("ADD fails before it runs the delegate: nothing would remember the attachment", async () => {
    expect(errorOf(await new Machine().call(call))).toMatchObject({ code: 5, msg: "error writing the journal" });
  });
});

// These commands also work in a user namespace: it may not unmount what it inherited, and may not make devices.
const hidden = [
  ["/proc", "mount -t tmpfs -o ro none /proc"],
  ["/sys", "mount -t tmpfs -o ro none /sys"],
  [
    "/dev/shm",
    'cd "$SCRATCH" && : >null && mount --bind /dev/null null && mount -t tmpfs none /dev && : >/dev/null && mount --bind null /dev/null',
  ],
] as const;

test.each(inTurn(handedOver, hidden))("ADD and %s pass without %s", async (other, _, hide) => {
  for (const command of ["ADD", other]) {
    const machine = new Machine();
    expect(await machine.call({ command, through: apart(`${hide} && exec "$@"`) })).toEqual(passed);
  }
});

test.each(["ADD", "CHECK"])("%s: a deeply nested configuration on a stack of 1 MiB is an error", async (command) => {
  const deep = `{"cniVersion":"1.0.0","name":"zone","wrapper":{"delegate":"plain"},"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  const ended = await new Machine().call({ command, stdin: deep, through: through('ulimit -s 1024; exec "$@"') });
  expect(ended).toMatchObject({ exitCode: 1, signal: undefined, stderr: "" });
  expect(errorOf(ended)).toMatchObject({ code: 6, details: expect.stringContaining("it is nested too deeply") });
});

test.for([
  ["16 file descriptors", "ulimit -n 16"],
  ["10 MB of address space", "ulimit -v 10000"],
])(
  isSlim ? "%s are enough" : "%s: Node ends without an answer, as docs/security.md says",
  async ([, limit], { skip }) => {
    skipEmulated(skip, "qemu itself needs more");
    const call = { command: "CHECK", delegate: "only-answers", through: through(`${limit}; exec "$@"`) };
    const answer = '{"cniVersion":"1.0.0"}\n';
    const { exitCode, stdout } = await new Machine().call(call);
    expect({ passes: exitCode === 0, stdout }).toEqual({ passes: isSlim, stdout: isSlim ? answer : "" });
  },
);

// Node cannot do without threads: docs/security.md.
const ofSlim = isSlim ? describe : () => {};
ofSlim("a system call that is denied", () => {
  const without = (calls: string) => [
    ..."strace -qq -f -o /dev/null".split(" "),
    ...calls.split(" ").flatMap((call) => ["-e", `inject=${call}:error=EPERM`]),
  ];

  const emulator = "qemu itself starts threads with clone3, and ends if it cannot";

  test.for(["poll", "memfd_create", "clone3", "poll memfd_create"])("%s changes nothing", async (calls, { skip }) => {
    if (calls === "clone3") skipEmulated(skip, emulator);
    for (const command of ["ADD", "CHECK"]) {
      const machine = new Machine();
      const ended = await machine.call({ command, delegate: "only-answers", through: without(calls) });
      expect(ended).toEqual({ ...passed, stdout: '{"cniVersion":"1.0.0"}\n' });
    }
  });

  test("threads and memfd_create together are an error", async ({ skip }) => {
    skipEmulated(skip, emulator);
    // The C libraries start a thread with different calls.
    const noThread = "clone3 clone:when=1";
    const configuration = { filler: "x".repeat(300_000) };
    for (const command of ["ADD", "CHECK"]) {
      const ended = await new Machine().call({ command, configuration, through: without(`memfd_create ${noThread}`) });
      expect(errorOf(ended)).toMatchObject({ code: 104 });
    }
  });
});

// Node ends without an answer: docs/security.md.
ofSlim("10 MB of address space", () => {
  test("too little memory for the input ends a call with one CNI error", async ({ skip }) => {
    skipEmulated(skip, "qemu itself needs more");
    const configuration = { filler: "x".repeat(8_000_000) };
    const call = { command: "CHECK", configuration, through: through('ulimit -v 10000; exec "$@"') };
    const ended = await new Machine().call(call);
    expect(ended).toMatchObject({ exitCode: 1, signal: undefined, stderr: "no memory\n" });
    expect(errorOf(ended)).toMatchObject({ code: 999, msg: "internal error of the wrapper" });
  });
});

test("a delegate that prints without an end and ignores SIGTERM is killed", async ({ machine }) => {
  expect(errorOf(await machine.call({ delegate: "stubborn" }))).toMatchObject({ code: 102 });
  expect(machine.calls()).toEqual(["ADD", "DEL"]);
});

test.for(["ADD", "CHECK"])(
  "%s: a thousand levels in a configuration with null reach the delegate",
  async (command, { machine }) => {
    const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
    const stdin = `{"cniVersion":"1.0.0","name":"zone","wrapper":{"delegate":"plain"},"x":${deep},"y":null}`;
    expect(await machine.call({ command, stdin })).toEqual(passed);
    expect(String(machine.received(command))).toBe(
      `{"cniVersion":"1.0.0","name":"zone","x":${deep},"y":null,"type":"plain"}`,
    );
  },
);

test.for(["ADD", "CHECK"])("%s: a number that no program in Go can read is an error", async (command, { machine }) => {
  const stdin = '{"cniVersion":"1.0.0","name":"zone","wrapper":{"delegate":"plain"},"x":[{"mtu":-1e400}],"y":null}';
  const ended = await machine.call({ command, stdin });
  expect(errorOf(ended)).toMatchObject({ code: 6, details: expect.stringContaining("a number that is too large") });
  expect(machine.calls()).toEqual([]);
  const fine = stdin.replace("-1e400", "-1e300");
  expect(await machine.call({ command, stdin: fine })).toEqual(passed);
});

describe("more than 500,000 values", () => {
  const many = `[${"{},".repeat(300_000)}{}]`;

  test.each(["ADD", "CHECK"])("in the configuration, %s: an error", async (command) => {
    const stdin = `{"cniVersion":"1.0.0","name":"zone","wrapper":{"delegate":"plain"},"x":${many}}`;
    expect(errorOf(await new Machine().call({ command, stdin }))).toMatchObject({
      code: 6,
      details: expect.stringContaining("500,000 commas and opening brackets"),
    });
  });

  test("in the answer to a renamed interface's ADD: an error, and DEL", async ({ machine }) => {
    machine.answer("ADD", `{"cniVersion":"1.0.0","x":${many}}`);
    const ended = await machine.call({ configuration: { wrapper: { ifName: "eth1" } } });
    expect(errorOf(ended)).toMatchObject({ code: 102, details: expect.stringContaining("500,000 commas") });
    expect(machine.calls()).toEqual(["ADD", "DEL"]);
  });

  test("in the answer to a single plugin's ADD: passed on", async ({ machine }) => {
    machine.answer("ADD", `{"cniVersion":"1.0.0","x":${many}}`);
    expect((await machine.call()).stdout).toHaveLength(many.length + 27);
  });
});
