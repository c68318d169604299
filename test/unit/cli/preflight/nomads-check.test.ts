import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { noProgram } from "../../../../cli/host/plugin-folder.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { makeHostFolders, type TinyPlugin } from "../../support/fake-host-folders.ts";
import { runCommand } from "../../support/fake-terminal.ts";

const directory = scratch();
beforeEach(() => void writeResult(directory, { netns: "/none" }));

const wrapper: TinyPlugin = { version: "v0.1.0", wrapper: "node" };

const bin = (bridge: TinyPlugin) => ({ bin: { bridge } });
const none = "Nomad finds no version of bridge:";

test("preflight tells that somebody is writing bridge", async () => {
  makeHostFolders(directory, { cniPath: bin({}) });
  const open = openSync(join(directory, "bin/bridge"), "r+");
  const { stdout } = await runCommand(["preflight", "--cache-dir", directory, "--cni-path", "bin"], { directory });
  closeSync(open);
  const why = "another program has it open for writing; run the command again when that has ended";
  expect(stdout).toContain(`Nomad would skip CHECK: ${none} bin/bridge: ${why}\n`);
});

test.each<[string, Record<string, Record<string, TinyPlugin>>, string | null, string?]>([
  ["a new bridge", bin({ version: "v1.3.0" }), null],
  ["an old bridge", bin({ version: "v1.2.0" }), "bridge has version v1.2.0"],
  [
    "a foreign bridge",
    bin({ version: "(1.9.1)" }),
    `${none} bin/bridge prints none`,
    "replace it by the reference plugin",
  ],
  ["no bridge", { bin: { macvlan: {} } }, `${none} there is no bridge in bin`],
  ["a bridge of mode 644", bin({ mode: "644" }), `${none} bin/bridge is not executable`, "run: chmod 755 bin/bridge"],
  ["an empty bridge", bin({ text: "" }), `${none} bin/bridge: ${noProgram}`, "install it again"],
  ["a drop-in before a new bridge", { first: { bridge: wrapper }, bin: { bridge: {} } }, null],
  ["a drop-in alone", { first: { bridge: wrapper }, bin: { macvlan: {} } }, "bridge has version v0.1.0"],
  [
    "a later old one",
    { a: { bridge: {} }, b: { bridge: { version: "v1.1.1" } } },
    "bridge has version v1.1.1 in b, and Nomad takes that of the last directory",
  ],
])(
  "preflight tells that Nomad would skip CHECK: %s",
  async (_, cniPath, reason, cure = "install bridge 1.3.0 or newer") => {
    const folders = makeHostFolders(directory, { cniPath }).cniPath ?? "";
    const options = ["--cache-dir", directory, "--cni-path", folders];
    const { exitCode, stdout, stderr } = await runCommand(["preflight", ...options], { directory });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const said = stdout.split("\n").filter((line) => line.startsWith("Nomad would"));
    expect(said).toEqual(reason ? [`Nomad would skip CHECK: ${reason}; ${cure}`] : []);
  },
);
