import fs from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { profiles } from "../../plugins/index.ts";
import { version } from "../support/version.ts";
import { bin, errorOf, inTurn, Machine, test, through } from "./support/machine.ts";

const supportedVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];
const links = Object.keys(profiles).map((plugin) => `${plugin}-wrapper`);
const executables = ["cni-wrappers", ...links];

test("the folder holds one executable and a relative link for each plugin, and nothing else", () => {
  expect(fs.readdirSync(bin).sort()).toEqual(executables.toSorted());
  expect(links.map((link) => fs.readlinkSync(join(bin, link)))).toEqual(links.map(() => "cni-wrappers"));
  const file = fs.lstatSync(join(bin, "cni-wrappers"));
  expect([file.isFile(), (file.mode & 0o777).toString(8)]).toEqual([true, "755"]);
});

describe.each(executables)("%s without CNI_COMMAND", (name) => {
  const call = { path: join(bin, name), through: ["env", "-i"] };

  test("says what it is: the first word that is a version is the project's", async () => {
    const { exitCode, stdout, stderr } = await new Machine().call(call);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^CNI ${name} plugin v${version}\nCNI protocol versions supported: `));
    expect(stdout).toContain(supportedVersions.join(", "));
    expect(stdout).toMatch(/^Built from commit ([0-9a-f]{40}(-dirty)?|unknown)$/m);
    expect(stdout).toMatch(new RegExp(`^Flavor: ${process.env.CNI_WRAPPERS_FLAVOR}$`, "m"));
  });

  test("an empty one is none", async () => {
    const ended = await new Machine().call({ path: call.path, env: { CNI_COMMAND: "" } });
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`v${version}`) });
  });
});

test.each(inTurn(executables, [["<&-"], ["</dev/null"], ["</dev/zero"], ["</"]]))(
  "%s without CNI_COMMAND does not look at stdin: %s",
  async (name, redirection) => {
    const call = { path: join(bin, name), through: ["env", "-i", ...through(`exec "$@" ${redirection}`)] };
    expect(await new Machine().call(call)).toMatchObject({ exitCode: 0, stderr: "" });
  },
);

test("a command is run although the person's shell has CNI_COMMAND: only a wrapper is a plugin then", async () => {
  const call = { path: join(bin, "cni-wrappers"), command: "VERSION", through: ["sh", "-c", '"$0" status --help'] };
  const { stdout } = await new Machine().call(call);
  expect(stdout).toMatch(/^Usage: cni-wrappers status|^This is the slim flavor/);
});

const probes = [
  ["the probe of podman and CRI-O", '{"cniVersion":"0.4.0"}', "0.4.0"],
  ["no stdin", "", "1.1.0"],
  ["stdin that is no JSON", "{", "1.1.0"],
] as const;

test.each(inTurn(executables, probes))("%s, VERSION without a delegate: %s", async (name, _, stdin, cniVersion) => {
  const dummy = { CNI_PATH: "dummy", CNI_NETNS: "dummy", CNI_IFNAME: "dummy", CNI_CONTAINERID: "dummy" };
  const call = { path: join(bin, name), command: "VERSION", env: dummy, stdin };
  const { exitCode, stdout, stderr } = await new Machine().call(call);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({ cniVersion, supportedVersions });
});

test("started as cni-wrappers, no delegate is named: code 7, unless the configuration names one", async ({
  machine,
}) => {
  const path = join(bin, "cni-wrappers");
  const ended = await machine.call({ path, stdin: '{"cniVersion":"1.0.0","name":"zone"}' });
  expect(errorOf(ended)).toMatchObject({ code: 7, msg: expect.stringContaining("no delegate: started as") });
  expect(await machine.call({ path })).toMatchObject({ exitCode: 0, stdout: "{}" });
});
