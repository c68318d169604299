import { expect, test } from "vitest";
import { callWrapper } from "./support/fake-host.ts";

test.each([
  ["/opt/cni/bin/bridge-wrapper", "bridge-wrapper"],
  ["macvlan-wrapper", "macvlan-wrapper"],
  ["./cni-wrappers", "cni-wrappers"],
])("%s without CNI_COMMAND says what it is, and runs nothing", (calledAs, name) => {
  for (const env of [{}, { CNI_PATH: "", CNI_IFNAME: "", CNI_NETNS: "", CNI_CONTAINERID: "" }]) {
    const outcome = callWrapper({ calledAs, env: { ...env, CNI_COMMAND: "" }, stdin: new Error("not to be read") });
    expect(outcome).toMatchObject({ exitCode: 0, writes: 1, runs: [], log: [] });
    expect(outcome.stdout.split("\n")).toEqual([
      `CNI ${name} plugin v1.2.3`,
      "CNI protocol versions supported: 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0",
      "Built from commit abcdef",
      "Flavor: slim",
      "",
    ]);
  }
});

// Nomad takes the first word that parses as a version. The word may begin with v, but have no bracket or comma.
test("the first version in it is the project's", () => {
  const { stdout } = callWrapper({ env: { CNI_COMMAND: "" } });
  expect(stdout.split(/\s+/).find((word) => /^v?\d+(\.\d+)*$/.test(word))).toBe("v1.2.3");
});
