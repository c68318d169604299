import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runPlugin } from "../../../../cli/live/run-plugin.ts";

test("a type that is a path runs nothing, and the error is libcni's", async () => {
  const directory = mkdtempSync(join(tmpdir(), "run-plugin-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "outside"), "#!/bin/sh\n", { mode: 0o755 });
  const run = { environment: { CNI_PATH: join(directory, "bin") }, stdin: {} };
  expect(await runPlugin({ ...run, type: "../outside" }, 60)).toEqual({
    passed: false,
    error: "invalid plugin name: ../outside",
  });
});

test.each(["", "exit 0\n"])("a file that the kernel does not start is never handed to a shell: %j", async (text) => {
  const directory = mkdtempSync(join(tmpdir(), "run-plugin-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "text"), text, { mode: 0o755 });
  const outcome = await runPlugin({ type: "text", environment: { CNI_PATH: directory }, stdin: {} }, 60);
  expect(outcome).toMatchObject({ passed: false, error: expect.stringContaining("the kernel does not start it") });
});

describe("a plugin that does not end well", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "run-plugin-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const run = (script: string) => {
    writeFileSync(join(directory, "slow"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { type: "slow", environment: { CNI_PATH: directory }, stdin: {} };
  };
  const isAlive = (pid: number) =>
    existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
  const patience = { timeout: 30_000 };
  const isStarted = () => existsSync(join(directory, "pid"));
  const started = () => Number(readFileSync(join(directory, "pid"), "utf8"));
  // The pid is in the file as a whole, or not at all.
  const withChild = () => `sleep 600 & echo $! >${directory}/new; mv ${directory}/new ${directory}/pid; wait`;

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

  test("8 MiB are not too much", async () => {
    const outcome = await runPlugin(run("head -c 8388608 /dev/zero"), 60);
    expect(outcome).toEqual({ passed: true });
  });

  // Each call of `process.on` takes long, so a plugin that starts before the listeners is there long before them.
  const slowListeners =
    "const { on } = process; process.on = (...args) => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500); return on.apply(process, args); };";

  test.each([
    ["at any time", ""],
    ["right after its start", slowListeners],
  ])("a signal that ends the command ends the plugin: %s", async (_, before) => {
    const module = join(import.meta.dirname, "../../../../cli/live/run-plugin.ts");
    const code = `import { runPlugin } from ${JSON.stringify(module)}; ${before} runPlugin(${JSON.stringify(run(withChild()))}, 60);`;
    const command = spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio: "inherit" });
    await expect.poll(isStarted, patience).toBe(true);
    command.kill("SIGTERM");
    expect(await once(command, "exit")).toEqual([null, "SIGTERM"]);
    await expect.poll(() => isAlive(started()), patience).toBe(false);
  });
});
