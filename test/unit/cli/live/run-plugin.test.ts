import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runPlugin } from "../../../../cli/live/run-plugin.ts";
import { scratch, temporary } from "../../../support/scratch.ts";
import { intercept } from "../../support/file-functions.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

test("a type that is a path runs nothing, and the error is libcni's", async () => {
  const directory = temporary();
  mkdirSync(join(directory, "bin"));
  writeProgram(join(directory, "outside"), "");
  const run = { environment: { CNI_PATH: join(directory, "bin") }, stdin: {} };
  expect(await runPlugin({ ...run, type: "../outside" }, 60)).toEqual({
    passed: false,
    error: "invalid plugin name: ../outside",
  });
});

test.each(["", "exit 0\n"])("a file that the kernel does not start is never handed to a shell: %j", async (text) => {
  const directory = temporary();
  writeFileSync(join(directory, "text"), text, { mode: 0o755 });
  const outcome = await runPlugin({ type: "text", environment: { CNI_PATH: directory }, stdin: {} }, 60);
  expect(outcome).toMatchObject({ passed: false, error: expect.stringContaining("the kernel does not start it") });
});

describe("a plugin", () => {
  const directory = scratch();

  const run = (script: string) => {
    writeProgram(join(directory, "slow"), script);
    return { type: "slow", environment: { CNI_PATH: directory }, stdin: {} };
  };
  const isAlive = (pid: number) =>
    existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
  const patience = { timeout: 30_000 };
  const isStarted = () => existsSync(join(directory, "pid"));
  const started = () => Number(readFileSync(join(directory, "pid"), "utf8"));
  // The pid is in the file as a whole, or not at all.
  const withChild = () => `sleep 600 & echo $! >${directory}/new; mv ${directory}/new ${directory}/pid; wait`;

  const path = () => `${directory}/slow`;
  const fails = (error: string) => ({ passed: false, error });

  // The error that it prints counts, then its last line on stderr, then the one on stdout.
  test.each([
    ["an object", `echo '{"cniVersion":"1.0.0"}'`, { passed: true, output: { cniVersion: "1.0.0" } }],
    ["something else", "echo 7; echo noise >&2", { passed: true }],
    ["nothing", "", { passed: true }],
    ["an error", `echo noise >&2; echo '{"code":7,"msg":"no room"}'; exit 1`, fails("no room")],
    ["an error with details", `echo '{"msg":"no room","details":"0 left"}'; exit 1`, fails("no room; 0 left")],
    ["an error without words", `echo '{"code":7}'; exit 1`, fails('{"code":7}')],
    ["an error whose words are no text", `echo '{"msg":7}'; exit 1`, fails('{"msg":7}')],
    ["lines", "echo out; printf '\\none\\ntwo\\n\\n' >&2; exit 1", fails("two")],
    ["lines on stdout", "printf '\\none\\n two \\n'; exit 1", fails(" two")],
    ["blanks", "echo ' '; echo ' ' >&2; exit 7", fails("exit code 7")],
    ["a passing answer, and a failure", `echo '{"cniVersion":"1.0.0"}'; exit 1`, fails('{"cniVersion":"1.0.0"}')],
  ])("it answers with %s", async (_, script, outcome) => {
    expect(await runPlugin(run(script), 60)).toEqual(outcome);
  });

  test("a signal that ends it is its error", async () => {
    expect(await runPlugin(run("kill -9 $$"), 60)).toEqual(fails(`${path()} was ended by SIGKILL`));
  });

  test("a plugin for whose pipes no file descriptor is left is an error", async () => {
    const given = run("exit 0");
    const taken: number[] = [];
    expect(() => {
      for (;;) taken.push(openSync("/dev/null", "r"));
    }).toThrow("EMFILE");
    for (const descriptor of taken.splice(0, 4)) closeSync(descriptor);
    const outcome = runPlugin(given, 60);
    for (const descriptor of taken) closeSync(descriptor);
    expect(await outcome).toEqual(fails(`${path()}: spawn ${path()} EMFILE`));
  });

  test("it gets its configuration and its variables, and not the wrappers' log", async () => {
    setVariable("CNI_WRAPPERS_LOG", "/var/log/cni");
    setVariable("OF_THE_COMMAND", "kept");
    setVariable("CNI_PATH", "/of/the/shell");
    const script = `printf '{"in":%s,"log":"%s","kept":"%s","path":"%s"}' "$(cat)" "$CNI_WRAPPERS_LOG" "$OF_THE_COMMAND" "$CNI_PATH"`;
    expect(await runPlugin({ ...run(script), stdin: { name: "zone" } }, 60)).toEqual({
      passed: true,
      output: { in: { name: "zone" }, log: "", kept: "kept", path: directory },
    });
  });

  const echoes = `printf '{"in":%s}' "$(cat /dev/stdin)"`;
  const echoed = { passed: true, output: { in: { name: "zone" } } };

  test("it can open /dev/stdin, as scripts do, and no file stays open", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    expect(await runPlugin({ ...run(echoes), stdin: { name: "zone" } }, 60)).toEqual(echoed);
    expect(open()).toBe(before);
  });

  test("where no file without a name can be made, its configuration comes through a pipe", async () => {
    intercept("openSync", (open) => (path: string, flags: number, mode: number) => {
      if (mode === 0o600) throw new Error("read-only");
      return open(path, flags, mode);
    });
    const given = { ...run(echoes.replace(" /dev/stdin", "")), stdin: { name: "zone" } };
    expect(await runPlugin(given, 60)).toEqual(echoed);
  });

  test("one that reads nothing is no fault, however long its configuration is", async () => {
    const stdin = { text: "x".repeat(1_000_000) };
    expect(await runPlugin({ ...run("exec 0</dev/null; sleep 0.1"), stdin }, 60)).toEqual({ passed: true });
  });

  test("the first directory that has its file counts", async () => {
    const [first, second, third] = ["one", "two", "three"].map((name) => join(directory, name)) as [
      string,
      ...string[],
    ];
    mkdirSync(join(first, "named"), { recursive: true });
    for (const each of [second, third] as string[]) {
      mkdirSync(each);
      writeProgram(join(each, "named"), `echo '{"from":"${each}"}'`);
    }
    const call = (type: string, CNI_PATH?: string) =>
      runPlugin({ type, environment: CNI_PATH === undefined ? {} : { CNI_PATH }, stdin: {} }, 60);
    const cniPath = [first, second, third].join(":");
    expect(await call("named", cniPath)).toEqual({ passed: true, output: { from: second } });
    const list = [first, second, third].join(" ");
    expect(await call("other", cniPath)).toEqual(fails(`failed to find plugin "other" in path [${list}]`));
    expect(await call("named")).toEqual(fails('failed to find plugin "named" in path []'));
    expect(await call("", cniPath)).toEqual(fails("no plugin name provided"));
  });

  test("what it started is killed with it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const outcome = runPlugin(run(withChild()), 60);
    await expect.poll(isStarted, patience).toBe(true);
    expect(isAlive(started())).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(await outcome).toEqual({ passed: false, error: `${directory}/slow gave no answer within 60 seconds` });
    await expect.poll(() => isAlive(started()), patience).toBe(false);
  });

  test("more than 8 MiB of output is too much", async () => {
    const outcome = await runPlugin(run(`echo $$ >${directory}/pid; exec yes`), 60);
    expect(outcome).toEqual({ passed: false, error: `${directory}/slow printed more than 8 MiB` });
    await expect.poll(() => isAlive(started()), patience).toBe(false);
  });

  test("what has left its group keeps no pipe of the command open", async () => {
    const ownPid = `echo $$ >${directory}/new; mv ${directory}/new ${directory}/pid`;
    const untilClosed = `trap "" PIPE; while echo || echo >&2; do sleep 0.1; done`;
    const waits = `while [ ! -e ${directory}/pid ]; do sleep 0.01; done`;
    const outcome = await runPlugin(run(`setsid sh -c '${ownPid}; ${untilClosed}' & ${waits}; exec yes`), 60);
    expect(outcome).toMatchObject({ passed: false });
    await expect.poll(() => isAlive(started()), patience).toBe(false);
  });

  test("8 MiB are not too much, and a byte more is", async () => {
    expect(await runPlugin(run("head -c 8388608 /dev/zero"), 60)).toEqual({ passed: true });
    const more = run("head -c 4194304 /dev/zero; head -c 4194305 /dev/zero >&2");
    expect(await runPlugin(more, 60)).toEqual(fails(`${path()} printed more than 8 MiB`));
  });

  // Each call of `process.on` takes long, so a plugin that starts before the listeners is there long before them.
  const slowListeners =
    "const { on } = process; process.on = (...args) => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); return on.apply(process, args); };";

  test.each([
    ["at any time", "SIGTERM", ""],
    ["right after its start", "SIGTERM", slowListeners],
    ["the terminal's", "SIGINT", ""],
    ["a lost connection's", "SIGHUP", ""],
  ] as const)("a signal that ends the command ends the plugin: %s", async (_, signal, before) => {
    const module = join(import.meta.dirname, "../../../../cli/live/run-plugin.ts");
    const code = `import { runPlugin } from ${JSON.stringify(module)}; ${before} runPlugin(${JSON.stringify(run(withChild()))}, 60);`;
    const command = spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio: "inherit" });
    await expect.poll(isStarted, patience).toBe(true);
    command.kill(signal);
    expect(await once(command, "exit")).toEqual([null, signal]);
    await expect.poll(() => isAlive(started()), patience).toBe(false);
  });
});
