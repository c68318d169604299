import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { version } from "../support/version.ts";
import { bin, errorOf, inTurn, Machine, through } from "./support/machine.ts";

const supportedVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];
const executables = ["cni-wrappers", "bridge-wrapper", "macvlan-wrapper"];

describe.each(executables)("%s without CNI_COMMAND", (name) => {
  const call = { path: join(bin, name), through: ["env", "-i"] };

  test("says what it is: the first word that is a version is the project's", async () => {
    const { exitCode, stdout, stderr } = await new Machine().call(call);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^CNI ${name} plugin v${version}\nCNI protocol versions supported: `));
    expect(stdout).toContain(supportedVersions.join(", "));
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

test("started as cni-wrappers, no delegate is named: code 7, unless the configuration names one", async () => {
  const machine = new Machine();
  const path = join(bin, "cni-wrappers");
  const ended = await machine.call({ path, stdin: '{"cniVersion":"1.0.0","name":"zone"}' });
  expect(errorOf(ended)).toMatchObject({ code: 7, msg: expect.stringContaining("no delegate: started as") });
  machine.answer("ADD", "{}");
  expect(await machine.call({ path })).toMatchObject({ exitCode: 0, stdout: "{}" });
});
