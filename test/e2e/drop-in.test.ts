import { Lab, type Outcome } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { bridge, macvlan, zone } from "./support.ts";

const first = "/opt/cni/first";
const list = zone("1.1.0", macvlan, { ...bridge, wrapper: { ifName: "eth1" } });
const version = '{"cniVersion": "1.1.0"}';

describe("a wrapper under the plugin's own name, in a directory before the plugin's", () => {
  test.for(["a link", "a copy"])("makes the plain type a wrapped one (%s)", async (kind, { lab, container }) => {
    await dropIn(lab, kind, "bridge");
    // macvlan does not know that it is not alone, so its CHECK needs a wrapper, too.
    await dropIn(lab, kind, "macvlan");
    const runtime = { pluginPath: `${first}:${Lab.pluginPath}` };
    expectSuccess(await lab.goCni.add(list, container, runtime));
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.26.64.2/20"]);
    expectSuccess(await lab.goCni.status(list, runtime));
    expectSuccess(await lab.goCni.check(list, container, runtime));
    await lab.ip(container, "address", "delete", "172.26.64.2/20", "dev", "eth1");
    expectFailure(
      await lab.goCni.check(list, container, runtime),
      "Failed to match addr 172.26.64.2/20 on interface eth1",
    );
    expectSuccess(await lab.goCni.del(list, container, runtime));
    expect(await lab.kernel.leases()).toEqual([]);
  });
});

describe("the plugin of a drop-in is the next one in CNI_PATH that is not a wrapper", () => {
  const spellings = ["/opt//cni/first", "/opt/cni/./first", "/opt/cni/../cni/first", `${first}/`, "/opt/cni/link"];

  test("in the next directory, however its own is spelled", async ({ lab }) => {
    await dropIn(lab, "a link", "bridge");
    const decoy = "mkdir /opt/cni/decoy && printf '#!/bin/sh\\necho decoy\\n' >/opt/cni/decoy/bridge";
    await lab.run("sh", ["-c", `${decoy} && chmod +x /opt/cni/decoy/bridge && ln -s first /opt/cni/link`]);
    for (const spelling of spellings) {
      const env = { CNI_COMMAND: "VERSION", CNI_PATH: `/opt/cni/decoy:${spelling}:${Lab.pluginPath}` };
      const bare = await lab.run("/opt/cni/bin/bridge", [], { env, input: version });
      expect(await lab.run(`${first}/bridge`, [], { env, input: version }), spelling).toBe(bare);
      // libcni itself calls it by the cleaned path.
      const runtime = { pluginPath: `${spelling}:${Lab.pluginPath}` };
      const name = `c${spellings.indexOf(spelling)}`;
      const container = await attached(lab, lab.goCni, zone("1.1.0", bridge), name, runtime);
      expectSuccess(await lab.goCni.del(zone("1.1.0", bridge), container, runtime));
    }
  });

  test.for([
    ["everywhere", first],
    ["except in an earlier directory", `${Lab.pluginPath}:${first}`],
    ["except for copies of the wrapper that name each other", `${first}:/opt/cni/second:${first}`],
  ] as const)("missing %s: an error, and no loop", async ([_, path], { lab }) => {
    await dropIn(lab, "a link", "bridge");
    await lab.run("sh", ["-c", "mkdir /opt/cni/second && cp /opt/cni/bin/cni-wrappers /opt/cni/second/bridge"]);
    const call = (CNI_COMMAND: string) =>
      lab.call(`${first}/bridge`, [], {
        env: { CNI_COMMAND, CNI_CONTAINERID: "c1", CNI_NETNS: "/run/netns/c1", CNI_IFNAME: "eth0", CNI_PATH: path },
        input: JSON.stringify({ cniVersion: "1.1.0", name: "zone", ...bridge }),
      });
    for (const verb of ["ADD", "CHECK", "DEL"]) {
      expect(answerOf(await call(verb))).toMatchObject({ exitCode: 1, code: 100, msg: "delegate bridge is missing" });
    }
    expect(answerOf(await call("STATUS"))).toMatchObject({ exitCode: 1, code: 50 });
    expect(answerOf(await call("VERSION"))).toMatchObject({ exitCode: 0, cniVersion: "1.1.0" });
  });

  test("wrappers of two versions that find each other: an error, and no loop", async ({ lab }) => {
    await dropIn(lab, "a link", "bridge");
    // Another size, so that the two do not count as copies.
    const other =
      "mkdir /opt/cni/second && cp /opt/cni/bin/cni-wrappers /opt/cni/second/bridge && echo >>/opt/cni/second/bridge";
    await lab.run("sh", ["-c", other]);
    const env = { CNI_COMMAND: "STATUS", CNI_PATH: `${first}:/opt/cni/second:${first}` };
    const input = JSON.stringify({ name: "zone", ...bridge });
    const outcome = await lab.call(`${first}/bridge`, [], { env, input });
    expect(answerOf(outcome)).toMatchObject({
      exitCode: 1,
      code: 50,
      msg: "plugin not available: delegate bridge is missing",
    });
  });
});

function answerOf({ exitCode, stdout }: Outcome): object {
  return { exitCode, ...JSON.parse(stdout) };
}

/** Puts the wrapper before the plugin: as a link to it, or as a copy of it. */
async function dropIn(lab: Lab, kind: string, plugin: string): Promise<void> {
  const command = kind === "a link" ? "ln -s ../bin/cni-wrappers" : "cp /opt/cni/bin/cni-wrappers";
  await lab.run("sh", ["-c", `mkdir -p ${first} && ${command} ${first}/${plugin}`]);
}
