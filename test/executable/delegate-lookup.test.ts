import { appendFileSync, copyFileSync, mkdirSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { skipEmulated } from "./support/emulator.ts";
import { apart, bin, delegates, errorOf, type Machine, stdinOf, test, through } from "./support/machine.ts";

/** Copies the delegate `says-where` to a directory of the machine. */
function install(machine: Machine, directory: string): string {
  mkdirSync(machine.path(directory));
  copyFileSync(join(delegates, "says-where"), machine.path(`${directory}/says-where`));
  return machine.path(directory);
}

/** The path by which the delegate was called. */
async function found(machine: Machine, path: string | undefined, through?: readonly string[]): Promise<string> {
  const call = { delegate: "says-where", command: "DEL", env: { CNI_PATH: path }, ...(through && { through }) };
  return (await machine.call(call)).stdout.trim();
}

describe("CNI_PATH", () => {
  test("several directories: the first that has it", async ({ machine }) => {
    const [a, b] = [install(machine, "a"), install(machine, "b")];
    expect(await found(machine, `${machine.directory}:${a}:${b}`)).toBe(`${a}/says-where`);
    expect(await found(machine, `${b}:${a}`)).toBe(`${b}/says-where`);
  });

  test("a directory of the delegate's name is none", async ({ machine }) => {
    mkdirSync(machine.path("first/says-where"), { recursive: true });
    const second = install(machine, "second");
    expect(await found(machine, `${machine.path("first")}:${second}`)).toBe(`${second}/says-where`);
  });

  test("empty elements are none, not even where the delegate is in the present directory", async ({ machine }) => {
    const [a, b] = [install(machine, "a"), install(machine, "b")];
    const inA = through(`cd ${a} && exec "$@"`);
    expect(await found(machine, `:${b}`, inA)).toBe(`${b}/says-where`);
    expect(await found(machine, `${b}:`, inA)).toBe(`${b}/says-where`);
    expect(
      errorOf(await machine.call({ delegate: "says-where", env: { CNI_PATH: "::" }, through: inA })),
    ).toMatchObject({ code: 100 });
  });

  test("a relative directory is looked up from the present one", async ({ machine }) => {
    install(machine, "a");
    expect(await found(machine, "a", through(`cd ${machine.directory} && exec "$@"`))).toBe("a/says-where");
    expect(await found(machine, ".", through(`cd ${machine.path("a")} && exec "$@"`))).toBe("./says-where");
  });

  test("a directory with spaces and other signs", async ({ machine }) => {
    const odd = install(machine, "a b'\"$(false)é");
    expect(await found(machine, odd)).toBe(Buffer.from(`${odd}/says-where`).toString("latin1"));
  });

  test("a link to the wrapper and a copy of it are passed over, and a program of its size is none", async ({
    machine,
  }) => {
    const own = join(bin, "cni-wrappers");
    for (const directory of ["link", "copy"]) mkdirSync(machine.path(directory));
    symlinkSync(own, machine.path("link/says-where"));
    copyFileSync(own, machine.path("copy/says-where"));
    const program = install(machine, "program");
    // The shell does not read further.
    appendFileSync(join(program, "says-where"), "exit\n");
    truncateSync(join(program, "says-where"), statSync(own).size);
    const path = [machine.path("link"), machine.path("copy"), program, install(machine, "other")].join(":");
    const env = { CNI_PATH: path, CNI_WRAPPERS_LOG: machine.path("log") };
    const { stdout } = await machine.call({ delegate: "says-where", command: "DEL", env });
    expect(stdout).toBe(`${program}/says-where\n`);
    // A wrapper that ran itself would write another one.
    expect(String(machine.read("log")).match(/\n/g)).toHaveLength(1);
  });

  test("a copy is passed over also if an upgrade has replaced the executable since the call began", async ({
    machine,
    skip,
  }) => {
    skipEmulated(skip, "the process is qemu's");
    mkdirSync(machine.path("copy"));
    const [path, copy] = [machine.path("cni-wrappers"), machine.path("copy/says-where")];
    for (const file of [path, copy]) copyFileSync(join(bin, "cni-wrappers"), file);
    machine.file("new", "another version");
    const script = `mkfifo input && { "$@" <input & } && exec 3>input
      until [ "$(readlink /proc/$!/exe)" = ${path} ]; do sleep 0.01; done
      mv new ${path} && cat given >&3 && exec 3>&- && wait $!`;
    machine.file("given", stdinOf({ delegate: "says-where" }));
    const directories = [machine.path("copy"), install(machine, "other")].join(":");
    const env = { CNI_PATH: directories, CNI_WRAPPERS_LOG: machine.path("log") };
    const { stdout } = await machine.call({ command: "DEL", path, env, through: through(script) });
    expect(stdout).toBe(`${machine.path("other")}/says-where\n`);
    expect(String(machine.read("log")).match(/\n/g)).toHaveLength(1);
  });

  test("a directory, and a file that is not executable, are passed over", async ({ machine }) => {
    const b = install(machine, "b");
    mkdirSync(machine.path("a/says-where"), { recursive: true });
    mkdirSync(machine.path("c"));
    machine.file("c/says-where", "#!/bin/sh\n");
    expect(await found(machine, `${machine.path("a")}:${machine.path("c")}:${b}`)).toBe(`${b}/says-where`);
  });
});

test("on an overlay with inodes that are too large for a number, the delegate is another file, in another directory", async ({
  machine,
}) => {
  const script = `cd "$SCRATCH" && mkdir lower upper merged && mount -t tmpfs none lower && mount -t tmpfs none upper
    mkdir -p lower/a lower/b upper/files upper/work && cp "$0" lower/a/says-where && cp ${delegates}/says-where lower/b
    mount -t overlay -o lowerdir=lower,upperdir=upper/files,workdir=upper/work,xino=on none merged
    exec "$SCRATCH/merged/a/says-where"`;
  const merged = machine.path("merged");
  const through = ["unshare", "--mount", "sh", "-c", script];
  expect(await found(machine, `${merged}/a:${merged}/b`, through)).toBe(`${merged}/b/says-where`);
});

describe("an entry of CNI_PATH that cannot be read is passed over", () => {
  test.for(["ADD", "CHECK", "VERSION"])("%s", async (command, { machine }) => {
    machine.answer(command, "{}");
    symlinkSync("loop", machine.path("loop"));
    const path = [machine.path("loop"), `/${"x".repeat(300)}`, `/${"x/".repeat(3000)}`, delegates].join(":");
    const through = ["bash", "-c", 'exec -a plain-wrapper "$@"', "bash"];
    const ended = await machine.call({ command, env: { CNI_PATH: path }, through });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "{}" });
  });
});

describe("next to the executable", () => {
  test.for([undefined, "", "/nowhere"])("with CNI_PATH=%s", async (path, { machine }) => {
    const directory = install(machine, "bin");
    // The runtime calls a link next to the executable.
    const script = `mount --bind ${directory} ${machine.directory}/bin && mount --bind ${bin}/cni-wrappers ${directory}/cni-wrappers && exec ${directory}/bridge-wrapper`;
    machine.file("bin/cni-wrappers", "");
    symlinkSync("cni-wrappers", join(directory, "bridge-wrapper"));
    expect(await found(machine, path, apart(script))).toBe(`${directory}/says-where`);
  });

  test("a link elsewhere leads to the plugin next to the executable, not next to the link", async ({ machine }) => {
    install(machine, "links");
    symlinkSync(join(bin, "cni-wrappers"), machine.path("links/bridge-wrapper"));
    const path = machine.path("links/bridge-wrapper");
    const ended = await machine.call({ path, delegate: "says-where", env: { CNI_PATH: "/nowhere" } });
    expect(errorOf(ended)).toMatchObject({ code: 100, details: expect.stringContaining(`${bin}/says-where`) });
  });
});

test.for([
  ["ADD", 100],
  ["CHECK", 100],
  ["DEL", 100],
  ["GC", 100],
  ["STATUS", 50],
] as const)("%s without a delegate: code %i, and where it was looked for", async ([command, code], { machine }) => {
  const ended = await machine.call({ command, delegate: "nobody", env: { CNI_PATH: "/a:/b" } });
  expect(ended).toMatchObject({ exitCode: 1, stderr: "" });
  expect(errorOf(ended)).toMatchObject({
    code,
    details: expect.stringContaining(`Looked for /a/nobody (missing), /b/nobody (missing), ${bin}/nobody (missing).`),
  });
});
