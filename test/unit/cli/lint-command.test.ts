import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../support/scratch.ts";
import { makeHostFolders } from "../support/fake-host-folders.ts";
import { runCommand, trouble } from "../support/fake-terminal.ts";
import { setVariable, writeProgram } from "../support/programs.ts";
import { redirect } from "../support/redirected.ts";

const faulty = `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [
  { "type": "macvlan", "master": "ens18" },
  { "type": "tap", "wrapper": { "ifName": "eth1" } },
  { "type": "bridge-wrapper", "wrapper": { "ifName": "eth2" } }
] }
`;
const right = faulty.replace('"macvlan"', '"macvlan-wrapper"').replace('"tap"', '"tap-wrapper"');

const directory = scratch();

const at = (name: string) => join(directory, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const write = (name: string, text: string | Buffer) => writeFileSync(at(name), text);
const lint = (...args: string[]) => runCommand(["lint", ...args], { directory });

/** Writes the list, and lints it. */
function lintText(text: string | Buffer, ...options: string[]) {
  write("zone.conflist", text);
  return lint(...options, "zone.conflist");
}

test("a directory without a list is trouble: a typing mistake must not look like a clean run", async () => {
  write("zone.conflist.new", faulty);
  expect(await lint(".")).toEqual(trouble(".: no file there ends with .conflist, .conf or .json"));
});

test("a file of a directory that cannot be read: it is named, and the others are looked at", async () => {
  symlinkSync("nowhere", at("late.conflist"));
  expect(await lint(".")).toEqual(trouble("late.conflist: it is a link to a file that is missing"));
  write("zone.conflist", faulty);
  const { exitCode, stdout, stderr } = await lint(".");
  expect(exitCode).toBe(2);
  expect(stdout).toContain("zone.conflist:2:13: error: macvlan creates an interface and is not wrapped");
  expect(stderr).toMatch(/^late\.conflist: it is a link to a file that is missing$/m);
});

test("--state with a journal that cannot be read: exit code 2, and the file is named", async () => {
  write("zone.conflist", right);
  const journal = "state/wrappers/c1/zone:eth0";
  const began = `{"line":"began","format":2,"network":"zone","containerId":"c1","runtimeIfName":"eth0"}\n`;
  mkdirSync(at("state/wrappers/c1"), { recursive: true });
  write(journal, began);
  const { exitCode, stderr } = await lint("--state", "state", "zone.conflist");
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${journal}: `);
  redirect("/var/lib/cni", at("state"));
  expect(await lint("--state", "/var/lib/cni", "zone.conflist")).toMatchObject({ exitCode: 2 });
  rmSync(join(directory, journal));
  expect((await lint("--state", "state", "zone.conflist")).exitCode).toBe(0);
  // A host that never had a container has no such directory.
  rmSync(at("state"), { recursive: true });
  expect((await lint("--state", "/var/lib/cni", "zone.conflist")).exitCode).toBe(0);
  expect((await lint("--state", "state", "zone.conflist")).exitCode).toBe(2);
});

test("--host looks at the interfaces that ip(8) shows", async () => {
  write("zone.conflist", right);
  const onHostWith = async (ifname: string) => {
    const links = JSON.stringify([{ ifindex: 2, ifname, link_type: "ether" }]);
    writeProgram(at("ip"), `echo '${links}'`);
    return await lint("--host", "zone.conflist");
  };
  setVariable("PATH", directory);
  expect(await onHostWith("ens18")).toMatchObject({ exitCode: 0 });
  expect(await onHostWith("ens19")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("ens18") });
  rmSync(at("ip"));
  expect(await lint("--host", "zone.conflist")).toEqual(
    trouble("--host needs ip(8), which failed or is missing: install iproute2"),
  );
});

test.each([
  ["--json", /^\[\n/],
  ["--format=json", /^\[\n/],
  ["--format=github", /^::error file=zone\.conflist/],
  ["--format=sarif", /"version": "2\.1\.0"/],
])("%s: only the report, without a count", async (option, start) => {
  const stdout = expect.stringMatching(start);
  expect(await lintText(faulty, option)).toEqual({ exitCode: 1, stdout, stderr: "" });
});

test("an unknown format and a missing file are trouble", async () => {
  const stderr = expect.stringContaining("Allowed choices are text, json, github, sarif.");
  expect(await lint("--format=xml", directory)).toMatchObject({ exitCode: 2, stdout: "", stderr });
  expect(await lint("none.conflist")).toEqual(trouble("none.conflist: there is no such file"));
});

test("- reads stdin, which --fix cannot change", async () => {
  const { exitCode, stdout } = await runCommand(["lint", "-", "-"], { readInput: () => faulty });
  expect(exitCode).toBe(1);
  expect(stdout.match(/^stdin:2:13: error/gm)).toHaveLength(1);
  expect(await lint("--fix", "-")).toEqual(trouble("--fix cannot change stdin; name a file"));
});

/** Two mistakes that have one safe fix. */
const misspelt = `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [
  { "type": "macvlan-wrapper", "master": "ens18", "mtu": "1400" },
  { "type": "bridge-wrapper", "wrapper": { "IFNAME": "eth2" } }
] }
`;
const corrected = misspelt.replace('"1400"', "1400").replace('"IFNAME"', '"ifName"');

test("--fix changes only what is wrong, and says so; without it, nothing is changed", async () => {
  write("zone.conflist", misspelt);
  expect((await lint("zone.conflist")).exitCode).toBe(1);
  expect(read("zone.conflist")).toBe(misspelt);
  const { stderr, ...outcome } = await lint("--fix", "zone.conflist");
  expect(outcome).toEqual({ exitCode: 0, stdout: "" });
  expect(stderr.split("\n")).toEqual([
    "zone.conflist:2:58: fixed: mtu must be a number [plugin-value]",
    "zone.conflist:3:44: fixed: wrapper.IFNAME is unknown [unknown-wrapper-key]",
    "no mistakes in 1 file",
    "",
  ]);
  expect(read("zone.conflist")).toBe(corrected);
  expect(readdirSync(directory)).toEqual(["zone.conflist"]);
});

test("--fix reports what it cannot fix, and leaves a file alone that is not JSON", async () => {
  write("a.conflist", misspelt.replace('"mtu"', '"mto"'));
  write("b.conflist", `${misspelt},`);
  const { exitCode, stdout, stderr } = await lint("--fix", ".");
  expect(exitCode).toBe(1);
  expect(stdout.match(/^\S+: (?:error|warning)/gm)).toEqual(["a.conflist:2:51: warning", "b.conflist:5:1: error"]);
  expect(stderr.match(/fixed/g)).toHaveLength(1);
  expect(read("b.conflist")).toBe(`${misspelt},`);
});

test("--fix follows a link, and the link stays", async () => {
  write("real", misspelt);
  symlinkSync("real", at("zone.conflist"));
  expect((await lint("--fix", "zone.conflist")).exitCode).toBe(0);
  expect(lstatSync(at("zone.conflist")).isSymbolicLink()).toBe(true);
  expect(read("real")).toBe(corrected);
});

test("--fix does not touch a file with bytes that are no characters", async () => {
  const before = Buffer.from(misspelt.replace("zone", "zon\xff"), "latin1");
  const stderr = expect.stringContaining("it is not UTF-8");
  expect(await lintText(before, "--fix")).toMatchObject({ exitCode: 2, stderr });
  expect(readFileSync(at("zone.conflist"))).toEqual(before);
});

test("--cni-path and --state look at the host", async () => {
  makeHostFolders(directory, { cniPath: { bin: {} }, entries: [] });
  const { stdout, stderr } = await lintText(right, "--cni-path=bin:none", "--state=state");
  expect(stdout.match(/\[[a-z-]+\]$/gm)).toEqual([
    ...Array(3).fill("[missing-plugin]"),
    ...Array(2).fill("[no-plugin-directory]"),
    "[old-bridge]",
  ]);
  expect(stdout).toContain("none: warning: this directory of --cni-path does not exist [no-plugin-directory]\nhint: ");
  expect(stderr).toBe("3 errors, 3 warnings in 1 of 1 file and on the host\n");
  expect(await lint("--state=nowhere", "zone.conflist")).toMatchObject({ exitCode: 2, stdout: "" });
  const none = "cni-wrappers: .: it has no wrappers, networks or results, as /var/lib/cni has\n";
  expect(await lint("--state=.", "zone.conflist")).toEqual({ exitCode: 2, stdout: "", stderr: none });
});

test("1,000 files are linted in one run, and each plugin answers once", async () => {
  const count = 1000;
  for (let index = 0; index < count; index++) write(`${index}.conflist`, right.replace("zone", `zone${index}`));
  write("7.conflist", faulty.replace("zone", "zone7"));
  const link = { link: "cni-wrappers" };
  const wrappers = { "macvlan-wrapper": link, "tap-wrapper": link, "bridge-wrapper": link };
  const plugins = { macvlan: {}, tap: {}, bridge: {}, "cni-wrappers": { wrapper: "node" as const }, ...wrappers };
  makeHostFolders(directory, { cniPath: { bin: plugins } });
  const { stdout, stderr } = await lint("--cni-path=bin", ".");
  expect(stdout.match(/^\S+ error/gm)).toEqual(["7.conflist:2:13: error", "7.conflist:3:13: error"]);
  expect(stderr).toBe("2 errors in 1 of 1000 files\n");
  const calls = Object.fromEntries(
    readdirSync(at("bin")).flatMap((name) => {
      return name.endsWith(".calls") ? [[name, read(`bin/${name}`).split("\n").sort()]] : [];
    }),
  );
  const both = ["", "", "VERSION"];
  const plain = { "bridge.calls": both, "macvlan.calls": both, "tap.calls": both };
  expect(calls).toEqual({ ...plain, "cni-wrappers.calls": ["", ""] });
}, 120_000);

const anEmptyOne = 'Write a list: { "cniVersion": "1.0.0", "name": "...", "plugins": [...] }';
const mark = "the file begins with a byte order mark";

test.each([
  ["nothing", "", "the file is empty", anEmptyOne],
  ["only white space", " \n\n", "the file is empty", anEmptyOne],
  ["a byte order mark", `\uFEFF${right}`, mark, "Save it as UTF-8 without a byte order mark"],
  ["UTF-16", Buffer.from(`\uFEFF${right}`, "utf16le"), "the file is not UTF-8 text", "Save it as UTF-8"],
])("a file that an editor spoiled: %s", async (_, text, message, hint) => {
  const { exitCode, stdout } = await lintText(text, "--json");
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([{ code: "invalid-json", line: 1, column: 1, message, hint }]);
});

test("a file that is named in two ways is read once: if it is clean, nothing is on stdout", async () => {
  const clean = { exitCode: 0, stdout: "", stderr: "no mistakes in 1 file\n" };
  expect(await lintText(right, "./zone.conflist", at("zone.conflist"), ".")).toEqual(clean);
});

test.each(["lint", "wrap", "unwrap", "explain"])("%s: an empty path is not the current directory", async (command) => {
  write("zone.conflist", right);
  expect(await runCommand([command, ""], { directory })).toEqual(trouble("the path is empty; name a file"));
});

test("bytes that are not UTF-8 do not hide another mistake", async () => {
  const { stdout } = await lintText(Buffer.from('{ "name": "caf\xe9",, }', "latin1"));
  expect(stdout).toContain("zone.conflist:1:18: error: a key is expected here");
});

test("the lists of two directories are not compared: they are for two hosts", async () => {
  write("a.conflist", right);
  mkdirSync(at("other"));
  write("other/b.conflist", right);
  expect(await lint("a.conflist", "other")).toMatchObject({ exitCode: 0 });
  write("b.conflist", right);
  const stdout = expect.stringContaining("a.conflist has this name too");
  expect(await lint(".")).toMatchObject({ exitCode: 1, stdout });
});

test("a hint names --explain, which prints the rule's section: a host has no docs/lint.md", async () => {
  const { stdout, ...outcome } = await lintText(faulty);
  expect(outcome).toEqual({ exitCode: 1, stderr: "2 errors in 1 of 1 file\n" });
  const hint = '\nhint: Change the type to "macvlan-wrapper". See cni-wrappers lint --explain unwrapped-creator\n';
  expect(stdout).toContain(hint);
  const explained = await lint("--explain", "unwrapped-creator");
  expect(explained).toMatchObject({ exitCode: 0, stderr: "" });
  expect(explained.stdout).toMatch(
    /^unwrapped-creator \(error\): A list has several interface plugins, .*\n\nA plain interface plugin compares/,
  );
  expect(await lint("--explain", "unwraped-creator")).toEqual(
    trouble("there is no rule unwraped-creator; the nearest one is unwrapped-creator"),
  );
});

test("of a link in a rule's section, --explain prints the words, and the address of one that a host can open", async () => {
  const { stdout } = await lint("--explain", "moved-routes");
  const issue = "containernetworking/plugins#297 (https://github.com/containernetworking/plugins/issues/297)).";
  expect(stdout).toContain(issue);
  expect(stdout).toContain("The wrappers look where the\nroutes are: see sbr. Wrap both plugins.\n");
});

test("without a path and without --explain, lint says what it needs", async () => {
  expect(await lint()).toEqual(trouble("name a file, a directory or -"));
});

const misspeltKey = right.replace('"ens18"', '"ens18", "mto": 1400');
const switchOff = (rules: unknown) => write(".cni-wrappers-lint", JSON.stringify(rules));

test.each(["zone.conflist", "*"])(
  "a rule can be switched off with a reason, for %s, and lint says so",
  async (file) => {
    write("zone.conflist", misspeltKey);
    expect((await lint(".")).stderr).toBe("1 warning in 1 of 1 file\n");
    const other = { "other.conflist": { "invalid-json": "not used" } };
    const general = { "*": { "unknown-key": "a file's own reason is told" } };
    switchOff({ ...general, [file]: { "unknown-key": "our build of macvlan has mto" }, ...other });
    const stderr = "unknown-key is switched off: our build of macvlan has mto (1 finding)\n";
    expect(await lint(".")).toEqual({ exitCode: 0, stdout: "", stderr: `${stderr}no other mistakes in 1 file\n` });
    expect(await lint("--json", "zone.conflist")).toEqual({ exitCode: 0, stdout: "[]\n", stderr });
  },
);

test("what is switched off in one file stays on in the others and for other rules, and --fix leaves it alone", async () => {
  write("zone.conflist", misspelt);
  switchOff({
    "zone.conflist": { "unknown-key": "not used" },
    "*": { "plugin-value": "it is text on purpose" },
    "shop.conflist": { "unknown-wrapper-key": "a" },
  });
  expect((await lint("--fix", ".")).stderr.split("\n")).toEqual([
    "zone.conflist:3:44: fixed: wrapper.IFNAME is unknown [unknown-wrapper-key]",
    "plugin-value is switched off: it is text on purpose (1 finding)",
    "no other mistakes in 1 file",
    "",
  ]);
  expect(read("zone.conflist")).toBe(misspelt.replace('"IFNAME"', '"ifName"'));
});

test("a rule about the host is switched off for all files", async () => {
  write("zone.conflist", right);
  switchOff({ "*": { "no-plugin-directory": "made by the next step", "missing-plugin": "the same" } });
  expect((await lint("--cni-path=none", ".")).stdout).not.toContain("no-plugin-directory");
});

const example = 'write { "*": { "unknown-key": "why" } }';

test.each([
  ["{", "it is not a JSON object"],
  ['{ "*": { "unknwn-key": "x" } }', "there is no rule unknwn-key; the nearest one is unknown-key"],
  ['{ "*": { "unknown-key": "" } }', `it has no reason for unknown-key; ${example}`],
  ['{ "unknown-key": "why" }', `unknown-key is no file with rules; ${example}`],
])("a file of switched-off rules with a mistake is trouble: %s", async (text, message) => {
  write("zone.conflist", right);
  write(".cni-wrappers-lint", text);
  expect(await lint(".")).toEqual(trouble(`.cni-wrappers-lint: ${message}`));
});

test("a key of later plugins: the finding names the version that is there", async () => {
  const sbr = '{ "type": "sbr", "GATEWAYS": ["10.1.0.1"] }';
  write("zone.conflist", `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [${sbr}] }`);
  makeHostFolders(directory, { cniPath: { bin: { sbr: { version: "v1.9.0" }, bridge: {} } } });
  const found = JSON.parse((await lint("--json", "--cni-path=bin", ".")).stdout);
  expect(found.filter(({ code }: { code: string }) => code === "unknown-key")).toMatchObject([
    {
      column: 71,
      message: "sbr v1.9.0 ignores the key GATEWAYS",
      hint: "Install sbr 1.10.0 or later, or delete the key",
    },
  ]);
});
