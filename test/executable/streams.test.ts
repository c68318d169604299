import { describe, expect, test } from "vitest";
import { errorOf, failure, handedOver, Machine, seen, verbs } from "./support/machine.ts";

/** A configuration with exactly this number of bytes. */
function configurationOf(bytes: number): string {
  const head = '{"cniVersion":"1.0.0","name":"zone","wrapper":{"delegate":"plain"},"x":"';
  return `${head}${"x".repeat(bytes - head.length - 2)}"}`;
}

const limit = 8 * 1024 * 1024;
const through = (script: string) => ["sh", "-c", script, "sh"];

/** A command that makes a stream non-blocking, as a runtime may, and becomes the command in its arguments. */
function nonBlocking(stream: "STDIN" | "STDOUT"): string {
  return `perl -MFcntl -e 'fcntl(${stream}, F_SETFL, O_NONBLOCK | fcntl(${stream}, F_GETFL, 0)); exec @ARGV'`;
}

describe("much on stdin", () => {
  test.each(["ADD", "CHECK"])("%s: 8 MiB reach the delegate", async (command) => {
    const machine = new Machine();
    machine.answer(command, "{}");
    const stdin = configurationOf(limit);
    expect(await machine.call({ command, stdin })).toMatchObject({ exitCode: 0, stderr: "" });
    const { x } = JSON.parse(stdin);
    expect(
      machine.received(command)?.toString() === JSON.stringify({ cniVersion: "1.0.0", name: "zone", x, type: "plain" }),
    ).toBe(true);
  });

  test.each(verbs)("%s: one byte more is refused, and nothing is run", async (command) => {
    const machine = new Machine();
    expect(seen(await machine.call({ command, stdin: configurationOf(limit + 1) }))).toEqual(failure(5));
    expect(machine.calls()).toEqual([]);
  });

  test("stdin without an end is refused", async () => {
    const machine = new Machine();
    expect(seen(await machine.call({ through: through('exec "$@" </dev/zero') }))).toEqual(failure(5));
  });
});

describe("stdin that comes in pieces, or is no pipe", () => {
  test("slowly", async () => {
    const machine = new Machine();
    const script = '(printf %s \'{"name":"zone",\'; sleep 0.2; printf %s \'"wrapper":{"delegate":"plain"}}\') | "$@"';
    expect(await machine.call({ command: "DEL", through: through(script) })).toMatchObject({ exitCode: 0, stdout: "" });
    expect(machine.received("DEL")?.toString()).toBe('{"name":"zone","type":"plain"}');
  });

  test("a file, read to its end", async () => {
    const machine = new Machine();
    const path = machine.file("stdin", '{"name":"zone","wrapper":{"delegate":"plain"}}\n');
    await machine.call({ command: "DEL", through: through(`exec "$@" <${path}`) });
    expect(machine.received("DEL")?.toString()).toBe('{"name":"zone","type":"plain"}');
  });

  test("non-blocking, and empty for a while", async () => {
    const machine = new Machine();
    const script = `(sleep 0.2; printf %s '{"name":"zone","wrapper":{"delegate":"plain"}}') | ${nonBlocking("STDIN")} "$@"`;
    expect(await machine.call({ command: "DEL", through: through(script) })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(machine.received("DEL")?.toString()).toBe('{"name":"zone","type":"plain"}');
  });

  test.each([
    ["closed", "<&-", 6],
    ["/dev/null", "</dev/null", 6],
    ["a directory", "</", 5],
  ])("%s: an error, and nothing is run", async (_, redirection, code) => {
    const machine = new Machine();
    for (const command of ["ADD", "CHECK"]) {
      const ended = await machine.call({ command, through: through(`exec "$@" ${redirection}`) });
      expect(seen(ended)).toEqual(failure(code));
    }
    expect(machine.calls()).toEqual([]);
  });
});

describe("a delegate that does not read its stdin", () => {
  const configuration = { filler: "x".repeat(1024 * 1024) };

  test.each(verbs)("%s is none the worse for it", async (command) => {
    const machine = new Machine();
    const ended = await machine.call({ command, delegate: "reads-nothing", configuration });
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{"cniVersion":"1.0.0"}\n', stderr: "" });
    expect(machine.calls()).toEqual([command]);
  });
});

test.each(verbs)("%s: a delegate may write 8 MiB to stderr", async (command) => {
  const machine = new Machine();
  machine.answer(command, "{}");
  const ended = await machine.call({ command, delegate: "floods-stderr" });
  expect({ ...ended, stderr: ended.stderr.length }).toMatchObject({
    exitCode: 0,
    stdout: "{}",
    stderr: 8 * 1024 * 1024,
  });
});

describe("a delegate that closes its stdout", () => {
  test.each(handedOver)("%s: its exit code counts", async (command) => {
    const machine = new Machine();
    const ended = await machine.call({ command, delegate: "closes-stdout", env: { EXIT_CODE: "9" } });
    expect(ended).toMatchObject({ exitCode: 9, stdout: "", stderr: "" });
  });

  test("ADD: it answered nothing", async () => {
    const machine = new Machine();
    expect(seen(await machine.call({ delegate: "closes-stdout" }))).toEqual(failure(102));
    expect(machine.calls()).toEqual(["ADD", "DEL"]);
  });
});

test("a stdout that is non-blocking, and full for a while", async () => {
  const machine = new Machine();
  const answer = JSON.stringify({ filler: "x".repeat(1024 * 1024) });
  machine.answer("ADD", answer);
  const script = `exec 3>&1; (${nonBlocking("STDOUT")} "$@"; echo $? >"$SCRATCH/code") | (sleep 0.3; cat >&3)`;
  expect(await machine.call({ through: through(script) })).toMatchObject({ stdout: answer, stderr: "" });
  expect(machine.read("code")?.toString()).toBe("0\n");
});

describe("stdout that cannot be written", () => {
  // The pipe's reader ends before the wrapper writes.
  const broken = through(
    'mkfifo "$SCRATCH/pipe"; : <"$SCRATCH/pipe" & exec 3>"$SCRATCH/pipe"; wait; exec "$@" >&3 3>&-',
  );

  test.each([
    ["full", through('exec "$@" >/dev/full')],
    ["broken", broken],
  ])("%s, ADD: the delegate is undone, exit code 1, and not a word", async (_, through) => {
    const machine = new Machine();
    machine.answer("ADD", '{"cniVersion":"1.0.0"}');
    expect(await machine.call({ through })).toEqual({ exitCode: 1, signal: undefined, stdout: "", stderr: "" });
    expect(machine.calls()).toEqual(["ADD", "DEL"]);
  });

  test.each([
    ["full", through('exec "$@" >/dev/full')],
    ["broken", broken],
  ])("%s: the wrapper's own answers end in exit code 1, and not a word", async (_, through) => {
    for (const call of [
      { stdin: "{" },
      { env: { CNI_COMMAND: "" } },
      { command: "VERSION", env: { CNI_PATH: "dummy" } },
    ]) {
      const machine = new Machine();
      expect(await machine.call({ ...call, through })).toEqual({
        exitCode: 1,
        signal: undefined,
        stdout: "",
        stderr: "",
      });
    }
  });

  test("broken, handed over: the delegate ends as it does without a wrapper", async () => {
    const machine = new Machine();
    machine.answer("CHECK", "x".repeat(100));
    const call = { command: "CHECK", delegate: "plain", through: broken };
    const wrapped = await machine.call(call);
    const bare = await new Machine().bare(call);
    expect(wrapped).toMatchObject({ exitCode: bare.exitCode, signal: bare.signal });
  });

  test("closed, handed over: the delegate runs to its end", async () => {
    const machine = new Machine();
    const ended = await machine.call({ command: "DEL", through: through('exec "$@" >&-'), env: { EXIT_CODE: "4" } });
    expect(ended).toMatchObject({ exitCode: 4, stdout: "" });
    expect(machine.calls()).toEqual(["DEL"]);
  });

  test("closed, ADD: no error of the wrapper's goes anywhere else", async () => {
    const machine = new Machine();
    const ended = await machine.call({ through: through('exec "$@" >&-') });
    expect(ended).toMatchObject({ signal: undefined, stdout: "", stderr: "" });
  });
});

test("stderr that is closed is no hindrance", async () => {
  const machine = new Machine();
  machine.answer("ADD", "{}");
  for (const command of ["ADD", "DEL"]) {
    expect(await machine.call({ command, through: through('exec "$@" 2>&-') })).toMatchObject({ exitCode: 0 });
  }
  expect(errorOf(await machine.call({ stdin: "{", through: through('exec "$@" 2>&-') }))).toMatchObject({ code: 6 });
});
