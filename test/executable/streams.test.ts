import { describe, expect } from "vitest";
import { errorOf, failure, inTurn, Machine, seen, test, through, verbs } from "./support/machine.ts";

function configurationOf(bytes: number): string {
  const head = '{"cniVersion":"1.0.0","name":"zone","wrapper":{"delegate":"plain"},"x":"';
  return `${head}${"x".repeat(bytes - head.length - 2)}"}`;
}

const limit = 8 * 1024 * 1024;

/** A command that makes a stream non-blocking, as a runtime may, and becomes the command in its arguments. */
function nonBlocking(stream: "STDIN" | "STDOUT"): string {
  return `perl -MFcntl -e 'fcntl(${stream}, F_SETFL, O_NONBLOCK | fcntl(${stream}, F_GETFL, 0)); exec @ARGV'`;
}

/** Perl that waits until a pipe has so many bytes (FIONREAD). */
const untilHas = (stream: "STDIN" | "STDOUT", bytes: number) =>
  `do { select(undef, undef, undef, 0.01); ioctl(${stream}, 0x541B, $has = pack("L", 0)) } until unpack("L", $has) == ${bytes};`;

/** A command that prints a configuration in two pieces: the second one when the reader has taken the first one. */
const inPieces = `perl -e '$| = 1; print "{\\"name\\":\\"zone\\","; ${untilHas("STDOUT", 0)} print "\\"wrapper\\":{\\"delegate\\":\\"plain\\"}}"'`;

describe("much on stdin", () => {
  test.for(["ADD", "CHECK"])("%s: 8 MiB reach the delegate", async (command, { machine }) => {
    const stdin = configurationOf(limit);
    expect(await machine.call({ command, stdin })).toMatchObject({ exitCode: 0, stderr: "" });
    const { x } = JSON.parse(stdin);
    expect(
      machine.received(command)?.toString() === JSON.stringify({ cniVersion: "1.0.0", name: "zone", x, type: "plain" }),
    ).toBe(true);
  });

  test.for(verbs)("%s: one byte more is refused, and nothing is run", async (command, { machine }) => {
    expect(seen(await machine.call({ command, stdin: configurationOf(limit + 1) }))).toEqual(failure(5));
    expect(machine.calls()).toEqual([]);
  });

  test("stdin without an end is refused", async ({ machine }) => {
    expect(seen(await machine.call({ through: through('exec "$@" </dev/zero') }))).toEqual(failure(5));
  });
});

describe("stdin that comes in pieces, or is no pipe", () => {
  test.for([
    ["slowly", ""],
    ["non-blocking, and empty for a while", nonBlocking("STDIN")],
  ] as const)("%s", async ([_, reader], { machine }) => {
    const script = `${inPieces} | ${reader} "$@"`;
    expect(await machine.call({ command: "DEL", through: through(script) })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(machine.received("DEL")?.toString()).toBe('{"name":"zone","type":"plain"}');
  });

  test("a file, read to its end", async ({ machine }) => {
    const path = machine.file("stdin", '{"name":"zone","wrapper":{"delegate":"plain"}}\n');
    await machine.call({ command: "DEL", through: through(`exec "$@" <${path}`) });
    expect(machine.received("DEL")?.toString()).toBe('{"name":"zone","type":"plain"}');
  });

  test.for([
    ["closed", "<&-", 6],
    ["/dev/null", "</dev/null", 6],
    ["a directory", "</", 5],
  ] as const)("%s: an error, and nothing is run", async ([_, redirection, code], { machine }) => {
    for (const command of ["ADD", "CHECK"]) {
      const ended = await machine.call({ command, through: through(`exec "$@" ${redirection}`) });
      expect(seen(ended)).toEqual(failure(code));
    }
    expect(machine.calls()).toEqual([]);
  });
});

test("a socket whose other end is gone is an error that names it", async ({ machine }) => {
  const script = `socketpair(A, B, AF_UNIX, SOCK_STREAM, 0); syswrite B, "x"; close A; open STDIN, "<&", \\*B; exec @ARGV`;
  const ended = await machine.call({ command: "CHECK", through: ["perl", "-MSocket", "-e", script] });
  expect(errorOf(ended)).toMatchObject({ code: 5, details: expect.stringMatching(/^ECONNRESET\. /) });
});

test.for(verbs)(
  "%s: a delegate that opens /dev/stdin, as scripts do, reads its configuration",
  async (command, { machine }) => {
    machine.file("plain", '#!/bin/sh\ncat /dev/stdin >"$SCRATCH/received"\necho "{}"\n', 0o755);
    const ended = await machine.call({ command, env: { CNI_PATH: machine.directory } });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(String(machine.read("received"))).toBe('{"cniVersion":"1.0.0","name":"zone","type":"plain"}');
  },
);

describe("a delegate that does not read its stdin", () => {
  const configuration = { filler: "x".repeat(1024 * 1024) };

  test.for(["ADD", "CHECK"])("%s is none the worse for it", async (command, { machine }) => {
    const ended = await machine.call({ command, delegate: "reads-nothing", configuration });
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{"cniVersion":"1.0.0"}\n', stderr: "" });
    expect(machine.calls()).toEqual([command]);
  });
});

test.for(["ADD", "CHECK"])("%s: a delegate may write 8 MiB to stderr", async (command, { machine }) => {
  const ended = await machine.call({ command, delegate: "floods-stderr" });
  expect({ ...ended, stderr: ended.stderr.length }).toMatchObject({
    exitCode: 0,
    stdout: "{}",
    stderr: 8 * 1024 * 1024,
  });
});

test.for([
  [0, { exitCode: 0, code: undefined }, ["ADD"]],
  [1, { exitCode: 1, code: 102 }, ["ADD", "DEL"]],
] as const)("ADD: an answer of 8 MiB and %i bytes", async ([more, expected, calls], { machine }) => {
  machine.answer("ADD", `{"cniVersion":"1.0.0","x":"${"x".repeat(limit + more - 29)}"}`);
  const { exitCode, stdout } = await machine.call();
  expect({ exitCode, code: JSON.parse(stdout).code }).toEqual(expected);
  expect(machine.calls()).toEqual(calls);
  if (more === 0) expect(stdout.length).toBe(limit);
});

describe("a delegate that closes its stdout", () => {
  test.for(["CHECK", "DEL"])("%s: its exit code counts", async (command, { machine }) => {
    const ended = await machine.call({ command, delegate: "closes-stdout", env: { EXIT_CODE: "9" } });
    expect(ended).toMatchObject({ exitCode: 9, stdout: "", stderr: "" });
  });

  test("ADD: it answered nothing", async ({ machine }) => {
    expect(seen(await machine.call({ delegate: "closes-stdout" }))).toEqual(failure(102));
    expect(machine.calls()).toEqual(["ADD", "DEL"]);
  });
});

test("a stdout that is non-blocking, and full for a while", async ({ machine }) => {
  const answer = JSON.stringify({ filler: "x".repeat(1024 * 1024) });
  machine.answer("ADD", answer);
  // Linux gives a pipe 64 KiB.
  const reader = `perl -e '${untilHas("STDIN", 65_536)} exec "cat"'`;
  const script = `exec 3>&1; (${nonBlocking("STDOUT")} "$@"; echo $? >"$SCRATCH/code") | ${reader} >&3`;
  expect(await machine.call({ through: through(script) })).toMatchObject({ stdout: answer, stderr: "" });
  expect(machine.read("code")?.toString()).toBe("0\n");
});

describe("stdout that cannot be written", () => {
  // The pipe's reader ends before the wrapper writes.
  const broken = through(
    'mkfifo "$SCRATCH/pipe"; : <"$SCRATCH/pipe" & exec 3>"$SCRATCH/pipe"; wait; exec "$@" >&3 3>&-',
  );

  test.for([
    ["full", through('exec "$@" >/dev/full')],
    ["broken", broken],
  ] as const)("%s, ADD: the delegate is undone, exit code 1, and not a word", async ([_, through], { machine }) => {
    machine.answer("ADD", '{"cniVersion":"1.0.0"}');
    expect(await machine.call({ through })).toEqual({ exitCode: 1, signal: undefined, stdout: "", stderr: "" });
    expect(machine.calls()).toEqual(["ADD", "DEL"]);
  });

  const ownAnswers = [
    ["an error", { stdin: "{" }],
    ["what it is", { env: { CNI_COMMAND: "" } }],
    ["its versions", { command: "VERSION", env: { CNI_PATH: "dummy" } }],
  ] as const;

  test.each(inTurn([through('exec "$@" >/dev/full'), broken], ownAnswers))(
    "%s: %s of the wrapper's own ends in exit code 1, and not a word",
    async (through, _, call) => {
      const ended = await new Machine().call({ ...call, through });
      expect(ended).toEqual({ exitCode: 1, signal: undefined, stdout: "", stderr: "" });
    },
  );

  test("broken, after a delegate that could not be started: exit code 1, and not a word", async ({ machine }) => {
    machine.file("plain", "no program\n", 0o755);
    const ended = await machine.call({ command: "CHECK", env: { CNI_PATH: machine.directory }, through: broken });
    expect(ended).toEqual({ exitCode: 1, signal: undefined, stdout: "", stderr: "" });
  });

  test("broken, handed over: the delegate ends as it does without a wrapper", async ({ machine }) => {
    machine.answer("CHECK", "x".repeat(100));
    const call = { command: "CHECK", delegate: "plain", through: broken };
    const wrapped = await machine.call(call);
    const bare = await new Machine().bare(call);
    expect(wrapped).toMatchObject({ exitCode: bare.exitCode, signal: bare.signal });
  });

  test("closed, handed over: the delegate runs to its end", async ({ machine }) => {
    const ended = await machine.call({ command: "DEL", through: through('exec "$@" >&-'), env: { EXIT_CODE: "4" } });
    expect(ended).toMatchObject({ exitCode: 4, stdout: "" });
    expect(machine.calls()).toEqual(["DEL"]);
  });

  test("closed, ADD: no error of the wrapper's goes anywhere else", async ({ machine }) => {
    const ended = await machine.call({ through: through('exec "$@" >&-') });
    expect(ended).toMatchObject({ signal: undefined, stdout: "", stderr: "" });
  });
});

test.for(["ADD", "CHECK"])(
  "%s: where stderr is closed, no file of the delegate's gets its number",
  async (command, { machine }) => {
    machine.file("plain", '#!/bin/sh\nreadlink /proc/self/fd/2 >"$SCRATCH/stderr"\necho "{}"\n', 0o755);
    await machine.call({ command, env: { CNI_PATH: machine.directory }, through: through('exec "$@" 2>&-') });
    expect(String(machine.read("stderr"))).toBe("/dev/null\n");
  },
);

test.for(["2>&-", "2>/dev/full"])(
  "stderr that cannot be written is no hindrance: %s",
  async (redirection, { machine }) => {
    // A log that is a directory causes a warning.
    const log = { file: machine.directory };
    for (const [command, wrapper] of [
      ["ADD", { log }],
      ["DEL", {}],
    ] as const) {
      const call = { command, configuration: { wrapper }, through: through(`exec "$@" ${redirection}`) };
      const ended = await machine.call(call);
      expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    }
    const ended = await machine.call({ stdin: "{", through: through(`exec "$@" ${redirection}`) });
    expect(errorOf(ended)).toMatchObject({ code: 6 });
  },
);
