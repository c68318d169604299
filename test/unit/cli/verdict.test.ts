import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { exitCodes } from "../../../cli/terminal.ts";
import { scratch } from "../../support/scratch.ts";
import { configOf, writeResult } from "../support/cached-results.ts";
import { makeHostFolders } from "../support/fake-host-folders.ts";
import { runCommand, trouble } from "../support/fake-terminal.ts";

const commands = ["preflight", "status", "adopt", "prune"];
const checking = ["preflight", "status", "adopt"];

const directory = scratch();
const at = (name: string) => join(directory, name);
beforeEach(() => {
  for (const name of ["results", "config"]) mkdirSync(join(directory, name));
  makeHostFolders(directory, { cniPath: { bin: { bridge: {}, static: {} } } });
  writeResult(directory, { networkName: "shop", netns: "/proc/self/ns/net" });
  write("shop", listOf("shop"));
  write("zone", listOf("zone"));
});

function listOf(name: string, plugin: object = { type: "bridge", bridge: name, ipam: { type: "static" } }): string {
  return JSON.stringify({ cniVersion: "1.0.0", name, plugins: [plugin] });
}

function write(name: string, text: string, folder = "config"): string {
  const file = at(`${folder}/${name}.conflist`);
  writeFileSync(file, text);
  return file;
}

function run(command: string, ...options: string[]) {
  const paths = ["--cache-dir", directory, "--config-dir", at("config")];
  return runCommand([command, ...paths, "--cni-path", at("bin"), ...options], { directory });
}

test.each(checking)("%s: all is well, so the cases below say what is not", async (command) => {
  expect(await run(command)).toMatchObject({ exitCode: 0, stderr: "" });
});

test.each(checking)("%s: a list with a warning of lint is loaded, and no fault", async (command) => {
  write("late", listOf("late", { type: "bridge", bridge: "late", brigde: "late", ipam: { type: "static" } }));
  expect(await run(command)).toMatchObject({ exitCode: 0, stderr: "" });
});

test("status: an error of lint that is switched off does not count, and its reason is told", async () => {
  write("late", listOf("late", { type: "other" }));
  expect(await run("status")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("[missing-plugin]") });
  writeFileSync(at("config/.cni-wrappers-lint"), '{ "*": { "missing-plugin": "it comes with the next image" } }');
  const { exitCode, stdout } = await run("status");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("missing-plugin is switched off: it comes with the next image (1 finding)");
});

// One reader reads the lists for all of them.
test.each([
  ["preflight", `\uFEFF${listOf("late")}`, "1:1: the file begins with a byte order mark"],
  ["preflight", '{"cniVersion": "1.0.0", "name": "late", "plugins": []}', "1:52: the list of plugins is empty"],
  ...commands.map((command) => [command, "{", "1:2: a closing brace is missing"]),
])("%s: a list that no runtime loads: %j", async (command, text, reason) => {
  const file = write("late", text);
  expect(await run(command)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${file}:${reason}`) });
});

describe.each(commands)("%s says nothing good about what it did not look at", (command) => {
  test("a link that leads nowhere among the lists: it is named, and the rest is looked at", async () => {
    const whole = await run(command);
    symlinkSync("nothing", at("config/late.conflist"));
    const { exitCode, stdout, stderr } = await run(command);
    expect(exitCode).toBe(2);
    const rest = whole.stdout.replace("Nothing is left", "Of what could be looked at, nothing is left");
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(rest.split("\n")));
    expect(stderr).toContain(at("config/late.conflist"));
  });

  test("--network of a name that nothing has: the message has the names that there are", async () => {
    const { exitCode, stdout, stderr } = await run(command, "--network", "typo");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(
      /^cni-wrappers: --network typo: no list and no attachment has this name; there are: (.*, )?shop, (.*, )?zone/,
    );
  });

  const single = ["network", "container", "cni-path", "cache-dir", ...(command === "preflight" ? ["with"] : [])];
  test.each(single)("a second --%s is no reason to look at the second one alone", async (name) => {
    const { exitCode, stdout, stderr } = await runCommand([command, `--${name}`, at(""), `--${name}=${at("")}`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`^cni-wrappers: option '--${name} <\\w+>' is there twice: only one value counts\n$`),
    );
  });

  test("where the host's processes are not seen, every container would look gone", async () => {
    const answer = await runCommand([command], { viewProblem: () => "it sees nothing" });
    expect(answer).toEqual(trouble("it sees nothing"));
  });

  test("its help has the exit codes", async () => {
    const { stdout } = await runCommand([command, "--help"]);
    for (const [code, meaning] of Object.entries(exitCodes)) expect(stdout).toContain(`  ${code}  ${meaning}`);
  });
});

test.each(checking)("%s --container of an id that no attachment has", async (command) => {
  const { stderr } = trouble("--container c2: no attachment has a container whose id begins with it");
  expect(await run(command, "--container", "c2")).toMatchObject({ exitCode: 2, stderr });
});

test("adopt --with a list of a network that no attachment has, and --with beside --undo: exit code 2", async () => {
  const refused = (why: RegExp) => ({ exitCode: 2, stderr: expect.stringMatching(why) });
  const file = write("new", listOf("sohp"), ".");
  expect(await run("adopt", "--with", file, "--write")).toMatchObject(refused(/^--with .*: no attachment/));
  const other = write("other", listOf("shop"), ".");
  expect(await run("adopt", "--with", other, "--write")).toMatchObject({ exitCode: 0 });
  expect(await run("adopt", "--with", other, "--undo")).toMatchObject(refused(/cannot be used with/));
});

test.each([
  ["whose network has no attachment here, but a list in place", "zone"],
  ["that some attachments have, and that is not in place", "lost"],
])("preflight --with a list %s: nothing is wrong", async (_, name) => {
  if (name === "lost") writeResult(directory, { networkName: name, containerId: "c2", netns: "/proc/self/ns/net" });
  expect(await run("preflight", "--with", write("new", listOf(name), "."))).toMatchObject({ exitCode: 0, stderr: "" });
});

test("preflight --with a list of a network that no attachment has: a fleet's summary counts the host", async () => {
  const file = write("new", listOf("sohp"), ".");
  const { exitCode, stdout, stderr } = await run("preflight", "--json", "--with", file);
  const line = `--with ${file}: no attachment has its network sohp, so nothing is checked with it; there are: shop`;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `${line}\n` });
  expect(JSON.parse(stdout)).toMatchObject({ attachments: [{ network: "shop" }] });
  const other = write("other", listOf("shop"), ".");
  expect(await run("preflight", "--with", other)).toMatchObject({ exitCode: 0 });
});

test("the broken list of a running network is named, with its line, and 2 wins over 1", async () => {
  const file = write("shop", '{\n  "name": "shop",\n  "plugins": [{ "type": "bridge" }],\n}');
  const { exitCode, stdout } = await run("preflight");
  expect(exitCode).toBe(2);
  expect(stdout).toContain(
    `no list in the directories defines the network shop; not loaded: ${file}:4:1: a key is expected here`,
  );
});

describe("sixty attachments with one cause", () => {
  const all = Array.from({ length: 60 }, (_, index) => `d${index}`);
  const attach = (netns: string) => {
    for (const containerId of all) writeResult(directory, { networkName: "lost", containerId, netns });
  };
  // The files are read in the order of their names: the first one is d0.
  const others = all.slice(1).sort();
  const fails = "no list in the directories defines the network lost";

  const more = `  and 59 more attachments of lost: ${others.join(", ")}`;

  test.each<[string, string, string, string]>([
    ["preflight", "/proc/self/ns/net", `lost d0 fails: ${fails}`, more],
    ["adopt", "/proc/self/ns/net", `lost d0: CHECK fails, and no result makes it pass: ${fails}`, more],
    ["preflight", "/gone", "lost d0 gone: its namespace is gone", more],
    [
      "prune",
      "/gone",
      "lost     60 containers  result  60 of them  prunable",
      `60 containers of lost: d0, ${others.join(", ")}`,
    ],
  ])("%s, namespaces at %s: the cause is told once, with the names of all", async (command, netns, cause, names) => {
    attach(netns);
    const { stdout } = await run(command, "--network", "lost");
    // This process may not look into each process of this machine. Then prune leaves all.
    const lines = stdout.replace(/^(lost +60 .*) left$/m, "$1 prunable").split("\n");
    expect(lines.filter((line) => line === cause || line === names)).toEqual([cause, names].sort(inOrderOf(lines)));
    expect(lines.length).toBeLessThan(20);
  });

  test("five of one cause are shown one by one", async () => {
    attach("/proc/self/ns/net");
    for (const id of all.slice(5)) rmSync(at(`results/lost-${id}-eth0`));
    const { stdout } = await run("preflight", "--network", "lost");
    expect(stdout.match(/^lost {5}d[0-4] .* fails$/gm)).toHaveLength(5);
    expect(stdout).toContain("  and 4 more attachments of lost: d1, d2, d3, d4\n");
  });

  test("another cause stands alone", async () => {
    attach("/proc/self/ns/net");
    writeResult(directory, { networkName: "lost", containerId: "d7", netns: "/gone" });
    const { exitCode, stdout } = await run("preflight", "--network", "lost");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^lost {5}59 attachments .* fails$/m);
    expect(stdout).toMatch(/^lost {5}d7 .* gone$/m);
  });

  test.each(commands)(
    "%s: sixty results that nobody can read are five lines, and one with their number",
    async (one) => {
      for (const id of all) writeFileSync(at(`results/lost-${id}-eth0`), "{");
      const { exitCode, stderr } = await run(one);
      const lines = stderr.trimEnd().split("\n");
      expect({ exitCode, lines: lines.length }).toEqual({ exitCode: 2, lines: 6 });
      expect(lines[0]).toContain(`${directory}/results/lost-d0-eth0: it is not a JSON object; `);
      expect(lines[5]).toMatch(/^and 55 more: it is not a JSON object; /);
    },
  );
});

function inOrderOf(lines: readonly string[]): (one: string, other: string) => number {
  return (one, other) => lines.indexOf(one) - lines.indexOf(other);
}

test.each(commands)("%s says where it looked, also beside JSON", async (command) => {
  const line = `looked at: lists in ${directory}/config, plugins in ${directory}/bin, results in ${directory}\n`;
  expect((await run(command)).stdout).toContain(line);
  const { stdout, stderr } = await run(command, "--json");
  const { directories = undefined } = JSON.parse(stdout);
  const isInJson = command === "preflight" || command === "status";
  expect({ stderr, results: directories?.results }).toEqual(
    isInJson ? { stderr: "", results: directory } : { stderr: line, results: undefined },
  );
});

test.each(commands)("%s: a namespace that cannot be looked at is not gone", async (command) => {
  symlinkSync("circle", at("circle"));
  const netns = at("circle");
  writeResult(directory, { networkName: "shop", containerId: "c2", netns });
  const { exitCode, stdout, stderr } = await run(command);
  const left = `left: ${directory}/results/shop-c2-eth0: ${netns} cannot be read`;
  const isLeft = command === "prune" && stdout.includes(left);
  expect(isLeft || `${stdout}${stderr}`.includes(`${netns}: it cannot be looked at`)).toBe(true);
  expect(exitCode).toBe(2);
});

test("status: a directory of the plugins that cannot be looked at has no trace of the stack", async () => {
  symlinkSync("bridge-wrapper", at("bin/bridge-wrapper"));
  write("late", listOf("late", { type: "bridge-wrapper" }));
  const { stderr } = trouble(`${directory}/bin/bridge-wrapper: its symbolic links form a circle`);
  expect(await run("status")).toMatchObject({ exitCode: 2, stderr });
});

test("preflight names what changed in the list since ADD", async () => {
  const file = at("results/shop-c1-eth0");
  const config = configOf([{ type: "bridge", bridge: "old" }], { cniVersion: "0.4.0", name: "shop" });
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), config }));
  const { attachments } = JSON.parse((await run("preflight", "--json")).stdout);
  expect(attachments).toMatchObject([{ changed: ["cniVersion", "plugins[0].bridge", "plugins[0].ipam"] }]);
  write("shop", listOf("shop", { type: "missing", bridge: "shop" }));
  expect((await run("preflight")).stdout).toContain(
    "  changed since it started: cniVersion, plugins[0].type, plugins[0].bridge\n",
  );
});

test("preflight --json says what made it, when, and from which lists", async () => {
  const file = write("new", listOf("shop"), ".");
  const before = Date.now();
  const answer = JSON.parse((await run("preflight", "--json", "--with", file)).stdout);
  expect(answer).toMatchObject({ format: 1, tool: { version: "1.2.3", commit: "abc" }, host: hostname() });
  expect(Date.parse(answer.time)).toBeGreaterThanOrEqual(before);
  const sumOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  const files = ["shop", "zone"].map((name) => at(`config/${name}.conflist`));
  expect(answer.lists).toEqual(files.map((path) => ({ file: path, sha256: sumOf(path) })));
  expect(answer.with).toEqual({ file, sha256: sumOf(file) });
  expect(answer.directories).toMatchObject({ plugins: [at("bin")], results: directory });
});
