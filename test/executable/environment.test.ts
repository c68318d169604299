import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { again } from "../support/go.ts";
import { root } from "../support/tree.ts";
import { skipEmulated } from "./support/emulator.ts";
import { inTurn, Machine, test, verbs } from "./support/machine.ts";

/** The environment that a delegate was started with, in the order of its names. */
function environmentOf(stdout: string): string[] {
  return stdout.split("\0").slice(0, -1).sort();
}

/** The same of a wrapped delegate, without the mark for a wrapper that the delegate starts. */
function wrappedEnvironmentOf(stdout: string): string[] {
  const mark = "CNI_WRAPPERS_NESTED=1";
  const marked = environmentOf(stdout);
  expect(marked).toContain(mark);
  return marked.filter((pair) => pair !== mark);
}

const odd = {
  EMPTY: "",
  "name with spaces": "value with spaces ",
  "a.b-c": "1",
  ünïcödé: "日本語 🐝",
  QUOTES: `"'\`$(false)$HOME\\`,
  LINES: "one\ntwo\n",
  EQUAL: "a=b=c",
  LONG: "x".repeat(100_000),
  NODE_OPTIONS: "--require=/nowhere.js",
  NODE_PATH: "/nowhere",
  NODE_ENV: "production",
  LD_LIBRARY_PATH: "",
  PATH: "/usr/bin:/bin:",
  HOME: "/nowhere",
  CNI_ARGS: "IP=10.0.0.2;K8S_POD_NAME=web;MAC=02:00:00:00:00:01;A=b",
  CNI_ANYTHING: "else",
  CNI_IFNAME_OF: "another name that begins like one which changes",
};

describe.each(verbs)("%s", (command) => {
  // An answer that is not a result is an error. The wrapper passes its bytes on.
  const call = { command, delegate: command === "ADD" ? "environment-and-fail" : "environment", env: odd };

  test("the environment is what the runtime gave", async ({ machine }) => {
    const wrapped = wrappedEnvironmentOf((await machine.call(call)).stdout);
    expect(wrapped).toEqual(environmentOf((await machine.bare(call)).stdout));
    expect(wrapped).toContain("EMPTY=");
  });
});

// A C program and Go read the first one. libcni leaves out the others.
test("of two variables with one name the first counts", async () => {
  const through = [await again(), "CNI_COMMAND=CHECK"];
  const ended = await new Machine().call({ command: "VERSION", env: { CNI_PATH: "dummy" }, stdin: "{}", through });
  expect(JSON.parse(ended.stdout)).toMatchObject({ supportedVersions: expect.arrayContaining(["1.1.0"]) });
});

const renamed = [
  [{ ifName: "eth1" }, "K8S_POD_NAME=web;A=b"],
  [{ ifName: "eth1", args: "keep" }, odd.CNI_ARGS],
] as const;

test.each([...inTurn(["ADD"], renamed), ...inTurn(["CHECK", "DEL"], renamed)])(
  "%s of a renamed interface: two variables change: %j",
  async (command, wrapper, args) => {
    const call = { command, delegate: command === "ADD" ? "environment-and-fail" : "environment", env: odd };
    const variable = (name: string, value: string) => `${name}=${value}`;
    // Without a result, DEL would take the interface for another attachment's.
    const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth1", sandbox: "/run/netns/blue" }] };
    const recalled = command === "ADD" ? {} : { prevResult };

    const machine = new Machine();
    const { stdout } = await machine.call({ ...call, configuration: { wrapper, ...recalled } });
    const wrapped = wrappedEnvironmentOf(stdout);
    const bare = environmentOf((await machine.bare(call)).stdout);
    const others = ([name]: string[]) => name !== "CNI_IFNAME" && name !== "CNI_ARGS";
    const rest = (all: string[]) => all.filter((pair) => others(pair.split("=")));
    expect(rest(wrapped)).toEqual(rest(bare));
    expect(wrapped).toHaveLength(bare.length);
    expect(wrapped).toContain(variable("CNI_IFNAME", "eth1"));
    expect(wrapped.map(utf8)).toContain(variable("CNI_ARGS", args));
  },
);

describe.each(["GC", "STATUS"])("%s of a renamed interface", (command) => {
  test("nothing changes: there is no interface", async ({ machine }) => {
    const call = { command, delegate: "environment", env: { ...odd, CNI_IFNAME: "" } };
    const wrapped = await machine.call({ ...call, configuration: { wrapper: { ifName: "eth1" } } });
    expect(wrappedEnvironmentOf(wrapped.stdout)).toEqual(environmentOf((await machine.bare(call)).stdout));
  });
});

test("an empty environment but for what must be there", async ({ machine }) => {
  const through = ["env", "-i", "CNI_COMMAND=STATUS", `CNI_PATH=${machine.environment({}).CNI_PATH}`];
  const call = { command: "STATUS", delegate: "environment", through };
  const { stdout } = await machine.call(call);
  expect(wrappedEnvironmentOf(stdout).map((pair) => pair.split("=")[0])).toEqual(["CNI_COMMAND", "CNI_PATH"]);
});

test("nothing that Node would take for itself acts on the wrapper", async ({ machine }) => {
  const path = machine.file("evil.cjs", "process.stdout.write('evil'); process.exit(66);");
  const env = { NODE_OPTIONS: `--require=${path}` };
  for (const command of ["CHECK", "ADD"])
    expect(await machine.call({ command, env })).toMatchObject({ exitCode: 0, stdout: "{}", stderr: "" });
});

/** What a variable does to a call. @ stands for a folder of the test. */
type Effect = { readonly [part in "exitCode" | "signal" | "stdout" | "stderr" | "left" | "opened"]?: RegExp };

// Node or the dynamic linker reads these before the wrapper runs any code. docs/security.md has the same variables.
const early: [string, Record<string, string>, Effect][] = [
  ["OPENSSL_CONF", { OPENSSL_CONF: "@/text" }, { exitCode: /^101$/, stdout: /^$/, opened: /@.text/ }],
  ["NODE_V8_COVERAGE", { NODE_V8_COVERAGE: "@" }, { left: /^coverage-/ }],
  ["NODE_COMPILE_CACHE", { NODE_COMPILE_CACHE: "@" }, { left: /^v\d/ }],
  ["NODE_REPL_EXTERNAL_MODULE", { NODE_REPL_EXTERNAL_MODULE: "" }, { exitCode: /^9$/, stdout: /^$/ }],
  ["NODE_USE_ENV_PROXY", { NODE_USE_ENV_PROXY: "1", http_proxy: "x" }, { exitCode: /^1$/, stdout: /^$/ }],
  ["NODE_CHANNEL_FD", { NODE_CHANNEL_FD: "x" }, { exitCode: /^1$/, stdout: /^$/ }],
  ["NODE_UNIQUE_ID", { NODE_UNIQUE_ID: "1", NODE_CHANNEL_FD: "1" }, { stdout: /^{"cmd":"NODE_CLUSTER"/ }],
  ["SIMDUTF_FORCE_IMPLEMENTATION", { SIMDUTF_FORCE_IMPLEMENTATION: "x" }, { signal: /^SIGABRT$/, stdout: /^$/ }],
  ["NODE_ICU_DATA", { NODE_ICU_DATA: "@" }, { opened: /@.icudt/ }],
  ["ICU_TIMEZONE_FILES_DIR", { ICU_TIMEZONE_FILES_DIR: "@" }, { opened: /@.zoneinfo64/ }],
  ["NODE_DEBUG_NATIVE", { NODE_DEBUG_NATIVE: "MKSNAPSHOT" }, { stderr: /deserializing/ }],
  ["LD_PRELOAD", { LD_PRELOAD: "@/text" }, { opened: /@.text/ }],
  ["LD_LIBRARY_PATH", { LD_LIBRARY_PATH: "@" }, { opened: /"@/ }],
  ["LD_AUDIT", { LD_AUDIT: "@/text" }, { opened: /@.text/ }],
  ["LD_TRACE_LOADED_OBJECTS", { LD_TRACE_LOADED_OBJECTS: "1" }, { stdout: /^\tlinux-vdso/ }],
  ["LD_SHOW_AUXV", { LD_SHOW_AUXV: "1" }, { stdout: /^AT_/ }],
  ["LD_DEBUG", { LD_DEBUG: "libs" }, { stderr: /find library=/ }],
  ["LD_DEBUG_OUTPUT", { LD_DEBUG: "libs", LD_DEBUG_OUTPUT: "@/debug" }, { left: /^debug\./ }],
  [
    "GLIBC_TUNABLES",
    // A thread has this space on its stack.
    { GLIBC_TUNABLES: "glibc.rtld.optional_static_tls=100000000000" },
    { signal: /^SIGABRT$/, stdout: /^$/ },
  ],
  ["LD_PROFILE", { LD_PROFILE: "libc.so.6", LD_PROFILE_OUTPUT: "@" }, { left: /^libc.so.6.profile$/ }],
];

const isSlim = process.env.CNI_WRAPPERS_FLAVOR === "slim";

/** Asks the wrapper for its version, which runs no delegate, and returns what the variables did. */
async function askWith(variables: Record<string, string>) {
  const machine = new Machine();
  const folder = machine.path("left");
  mkdirSync(folder);
  machine.file("left/text", "no line of a configuration\n");
  const set = Object.entries(variables).flatMap(([name, value]) => ["-E", `${name}=${value.replace("@", folder)}`]);
  const through = ["strace", "-qq", "-o", machine.path("trace"), "-e", "trace=%file", ...set];
  const ended = await machine.call({ env: { CNI_COMMAND: "" }, stdin: "", through });
  const trace = machine.read("trace")?.toString().replaceAll(folder, "@") ?? "";
  const opened = trace.split("\n").filter((line) => line.includes("@") && !line.startsWith("execve"));
  return { ...ended, opened, left: readdirSync(folder).filter((name) => name !== "text") };
}

const about = {
  exitCode: 0,
  signal: undefined,
  stdout: expect.stringMatching(/^CNI bridge-wrapper plugin v/),
  stderr: "",
};

if (isSlim)
  test.for(early)("the slim flavor reads no variable of Node's: %s", async ([, variables], { skip }) => {
    skipEmulated(skip, "qemu itself reads some of them");
    expect(await askWith(variables)).toEqual({ ...about, opened: [], left: [] });
  });
else
  test.each(early)("%s acts on the Node flavor before the wrapper does", async (_, variables, effect) => {
    const did = await askWith(variables);
    for (const [part, expected] of Object.entries(effect)) expect(String(did[part as keyof Effect])).toMatch(expected);
  });

test("docs/security.md has these variables", () => {
  const page = readFileSync(join(root, "docs/security.md"), "utf8");
  const [, section = ""] = page.split("\n## What Node cannot be stopped from\n");
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const names = rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(names.toSorted()).toEqual(early.map(([name]) => name).toSorted());
});

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
