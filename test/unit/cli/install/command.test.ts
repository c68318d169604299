import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratch } from "../../../support/scratch.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { redirect } from "../../support/redirected.ts";
import { writeList } from "../../support/written.ts";

const directory = scratch();
let bin = "";
beforeEach(() => {
  bin = join(directory, "bin");
  for (const name of ["bin", "lists"]) mkdirSync(join(directory, name));
  redirect("/etc/cni/net.d", join(directory, "lists"));
  redirect("/opt/cni/config", join(directory, "none"));
});

/** A number as so many bytes, the lowest first, in hexadecimal. */
function bytesOf(value: number, count: number): string {
  const bytes = Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** at) % 256);
  return Buffer.from(bytes).toString("hex");
}

// write(1, text after the code, length); exit(number of arguments), which is 1 for --version: the slim flavor does not know it.
// The Node flavor does: exit(0).
const machineCode = (
  length: number,
  isSlim: boolean,
): Readonly<Record<string, readonly [machine: number, code: string]>> => ({
  x64: [
    62,
    `b801000000bf01000000488d3516000000ba${bytesOf(length, 4)}0f05b83c000000488b3c24${isSlim ? "ffcf" : "31ff"}0f059090`,
  ],
  arm64: [
    183,
    `080880d2200080d2e1000010${bytesOf(0xd2800002 + length * 32, 4)}010000d4a80b80d2e00340f9${isSlim ? "000400d1" : "000080d2"}010000d4`,
  ],
});

/** An executable that answers as a wrapper of a version does: `install` takes no script. The fields are those of elf.h. */
function wrapper(version: string, isSlim = true): Buffer {
  const text = `CNI cni-wrappers plugin v${version}\nBuilt from commit abc\n`;
  const [machine, code] = machineCode(text.length, isSlim)[process.arch] ?? [0, ""];
  const size = 120 + code.length / 2 + text.length;
  const fields = [
    ...[
      [2, 2],
      [machine, 2],
      [1, 4],
      [0x400078, 8],
      [64, 8],
      [0, 8],
      [0, 4],
      [64, 2],
      [56, 2],
      [1, 2],
      [64, 2],
      [0, 4],
    ],
    ...[
      [1, 4],
      [5, 4],
      [0, 8],
      [0x400000, 8],
      [0x400000, 8],
      [size, 8],
      [size, 8],
      [0x10000, 8],
    ],
  ].map(([value = 0, count = 0]) => bytesOf(value, count));
  const header = `7f454c46020101000000000000000000${fields.join("")}`;
  return Buffer.concat([Buffer.from(header + code, "hex"), Buffer.from(text)]);
}

/** Runs install for a version that is in a file, or without one. */
async function install(version: string | undefined, ...words: readonly string[]) {
  if (version !== undefined) writeFileSync(join(directory, "new"), wrapper(version));
  const from = version === undefined ? [] : ["--from", join(directory, "new")];
  return runCommand(["install", "--dir", bin, ...from, ...words]);
}

const slim = (version: string) => `${version} (slim flavor, commit abc)`;
const noPlugins = () =>
  `${bin}: no plugin is in it that a wrapper could run. Name the directory of the plugins with --dir, or both directories in the runtime's cni_path\n`;

test("install, and a rollback, say what they did, and that there is no plugin to run", async () => {
  expect(await install("1.0.0", "--plugins", "bridge,ptp")).toEqual({
    exitCode: 0,
    stdout: `${bin}/cni-wrappers: ${slim("1.0.0")} installed\nnew links: bridge-wrapper, ptp-wrapper\n`,
    stderr: noPlugins(),
  });
  writeFileSync(join(bin, "bridge"), "", { mode: 0o755 });
  expect(await install("2.0.0")).toMatchObject({ exitCode: 0, stderr: "" });
  const back = `${bin}/cni-wrappers: ${slim("1.0.0")} rolled back\nIt replaces ${slim("2.0.0")}. To go back: cni-wrappers install --rollback --dir ${bin}\n`;
  expect(await install(undefined, "--rollback")).toEqual({ exitCode: 0, stdout: back, stderr: "" });
  expect(readFileSync(join(bin, "cni-wrappers"))).toEqual(wrapper("1.0.0"));
});

test("install --json has what it did, with all links if none is named", async () => {
  const { stdout } = await install("1.0.0", "--json");
  const data = JSON.parse(stdout);
  expect(data).toMatchObject({ is: "installed", release: { version: "1.0.0", commit: "abc", flavor: "slim" } });
  expect(data.newLinks).toEqual(data.links);
  expect(data.links).toEqual(expect.arrayContaining(["bridge-wrapper", "portmap-wrapper"]));
  expect(stdout).toBe(`${JSON.stringify(data, null, 2)}\n`);
});

test.each([[["--from", "new"]], [["--plugins", "bridge"]]])("a rollback takes no %j", async (words) => {
  await install("1.0.0");
  await install("2.0.0");
  expect(await install(undefined, "--rollback", ...words)).toEqual(
    trouble("--rollback takes what is kept in the directory: leave --from and --plugins out"),
  );
  expect(readFileSync(join(bin, "cni-wrappers"))).toEqual(wrapper("2.0.0"));
});

test("the slim flavor is not installed under a list with wrapper.jq", async () => {
  const list = (name: string, wrapper: object) =>
    writeList(join(directory, `lists/${name}.conflist`), { type: "bridge-wrapper", wrapper });
  list("plain", { ifName: "eth1" });
  expect((await install("1.0.0")).exitCode).toBe(0);
  list("jq", { jq: "." });
  const why = "it has wrapper.jq, and the slim flavor has no jq; install the Node flavor";
  expect(await install("2.0.0")).toEqual(trouble(`/etc/cni/net.d/jq.conflist: ${why}`));
});

test("the slim flavor names a list that nobody can read: it may have wrapper.jq", async () => {
  const list = join(directory, "lists/zone.conflist");
  const plugin = '{"type": "bridge-wrapper", "wrapper": {"jq": "."}}';
  writeFileSync(list, `\ufeff{"cniVersion": "1.0.0", "name": "zone", "plugins": [${plugin}]}`);
  const reason =
    "/etc/cni/net.d/zone.conflist:1:1: the file begins with a byte order mark. Save it as UTF-8 without a byte order mark";
  const { exitCode, stdout, stderr } = await install("1.0.0", "--json");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `${reason}; nobody can tell whether it has wrapper.jq, which the slim flavor does not run\n${noPlugins()}`,
  });
  expect(JSON.parse(stdout)).toMatchObject({ is: "installed", leftOut: [reason] });
  writeFileSync(join(directory, "node"), wrapper("2.0.0", false));
  const node = await runCommand(["install", "--dir", bin, "--from", join(directory, "node"), "--json"]);
  expect(node.stderr).toBe(noPlugins());
  expect(JSON.parse(node.stdout)).toMatchObject({ release: { flavor: "node" }, leftOut: [] });
  rmSync(list);
  expect(JSON.parse((await install("1.0.0", "--json")).stdout)).toMatchObject({ leftOut: [] });
});

test("a list that cannot be read stops no rollback to a version of the same flavor, and is named", async () => {
  await install("1.0.0");
  await install("2.0.0");
  symlinkSync("circle.conflist", join(directory, "lists/circle.conflist"));
  const { exitCode, stderr } = await install(undefined, "--rollback");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `/etc/cni/net.d/circle.conflist: its symbolic links form a circle; nobody can tell whether it has wrapper.jq, which the slim flavor does not run\n${noPlugins()}`,
  });
  expect(readFileSync(join(bin, "cni-wrappers"))).toEqual(wrapper("1.0.0"));
});

test("nor is the slim flavor installed under a list that cannot be read", async () => {
  symlinkSync("circle.conflist", join(directory, "lists/circle.conflist"));
  expect(await install("1.0.0")).toEqual(
    trouble(
      "/etc/cni/net.d/circle.conflist: its symbolic links form a circle; nobody can tell whether it has wrapper.jq, which the slim flavor does not run",
    ),
  );
});
