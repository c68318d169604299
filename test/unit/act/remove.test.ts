import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { recordFile } from "../../../shared/record/record.ts";
import { callWrapper, exits, type Machine } from "../support/fake-host.ts";
import { recordOf } from "../support/records.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

const eth1 = recordOf({ ifName: "eth1" });
const made = { [recordFile(eth1)]: JSON.stringify(eth1) };
const none = () => "missing" as const;
const busy = exits(1, { code: 11, msg: "busy" });
const again = "DEL failed in a network that the list's interfaces share: running it once more";

function call(command: string, machine: Machine, wrapper: JsonObject, more: JsonObject = {}) {
  const log = { file: "/log", level: "info" };
  const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ...wrapper, log }, ...more };
  const outcome = callWrapper({ env: { CNI_COMMAND: command }, stdin }, machine);
  return { ...outcome, lines: outcome.log.map(({ line }) => JSON.parse(line)) };
}

const said = ({ lines }: ReturnType<typeof call>) => lines.map(({ level, message }) => [level, message]);

describe("DEL of an interface that has a record", () => {
  const del = (machine: Machine, wrapper: JsonObject = {}) =>
    call("DEL", { files: made, ...machine }, { ifName: "eth1", ...wrapper });

  test("the log names the delegate and its interface", () => {
    expect(del({}).lines).toMatchObject([
      { level: "info", message: "delegate passed DEL", delegate: "bridge", ifName: "eth1" },
    ]);
  });

  test("what differs from the list is a warning", () => {
    const warning = "the record says that bridge made eth1, the list does not: DEL follows the record";
    expect(said(del({}, { ifName: "eth2" }))).toEqual([
      ["warn", warning],
      ["info", "delegate passed DEL"],
    ]);
  });

  test("a failure is an error in the log", () => {
    expect(said(del({ answers: [busy] }))).toEqual([["error", "delegate failed DEL: busy"]]);
  });

  test("without the delegate: code 100, nothing runs, and the record stays", () => {
    const outcome = del({ inspect: none });
    expect(outcome).toMatchObject({ exitCode: 1, runs: [] });
    expect(outcome.files).toEqual(made);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 100, msg: "delegate bridge is missing" });
  });

  test("a first failure in a shared network is a warning, because DEL runs once more", () => {
    const shared = recordOf({ ifName: "eth1", delegateNetwork: "zone" });
    const files = { [recordFile(shared)]: JSON.stringify(shared) };
    expect(said(del({ files, answers: [busy, exits(0)] }))).toEqual([
      ["warn", "delegate failed DEL: busy"],
      ["warn", again],
      ["info", "delegate passed DEL"],
    ]);
  });
});

test("if several DELs fail, the runtime gets the first failure", () => {
  const outcome = call("DEL", { answers: [busy, exits(2, "first"), exits(3, "second")] }, { ifName: "eth1" });
  expect(outcome).toMatchObject({ exitCode: 2, stdout: "first" });
  expect(outcome.runs).toHaveLength(3);
});

test("a CHECK that runs again in the list's network logs its first failure as a warning", () => {
  const prevResult = bothResult;
  const refused = exits(1, { code: 12, msg: "no lease" });
  expect(said(call("CHECK", { answers: [busy, refused] }, { ifName: "eth1" }, { prevResult }))).toEqual([
    ["warn", "delegate failed CHECK: busy"],
    ["warn", "there is no record of the interface: asking again in the network zone"],
    ["error", "delegate failed CHECK: no lease"],
  ]);
});

test("a DEL that cannot be run is a warning of GC, which goes on", () => {
  const gone = recordOf({ containerId: "gone", netns: "/run/netns/gone" });
  const files = { [recordFile(gone)]: JSON.stringify(gone) };
  const answers = [{ ended: "signal", signal: "SIGKILL" } as const, exits(0)];
  const outcome = call("GC", { files, answers }, {}, { "cni.dev/valid-attachments": [] });
  expect(said(outcome)).toEqual([
    ["warn", "gone is no longer valid and its namespace is gone: running DEL for eth0"],
    ["warn", "GC could not clean up: delegate bridge died"],
    ["info", "delegate passed GC"],
  ]);
});

test("GC runs a chained plugin's DEL with what its ADD got", () => {
  const runtimeConfig = { portMappings: [{ hostPort: 8080, containerPort: 80, protocol: "tcp" }] };
  const wrapper = { ifName: "eth1" };
  const calledAs = "/opt/cni/bin/portmap-wrapper";
  const stdin = { cniVersion: "1.1.0", name: "zone", wrapper };
  const add = { calledAs, stdin: { ...stdin, prevResult: bothResult, runtimeConfig } };
  const { files, runs: added } = callWrapper(add, { answers: [exits(0, bridgeResult)] });
  const env = { CNI_COMMAND: "GC", CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "" };
  const gc = { calledAs, env, stdin: { ...stdin, "cni.dev/valid-attachments": [] } };
  const after = callWrapper(gc, { files });
  expect(after.runs.map((run) => run.env.CNI_COMMAND)).toEqual(["DEL", "GC"]);
  expect(after.runs[0]?.stdin).toEqual(added[0]?.stdin);
  expect(after.runs[0]?.stdin).toMatchObject({ name: "zone-eth1", runtimeConfig });
  expect(after.files).toEqual({});
});

describe("unfinished records, whose writers were killed", () => {
  const directory = "/var/lib/cni/wrappers";
  const killed = `${directory}/.zone:blue:eth0:eth1:40-1`;
  const others = [
    `${directory}/.zone:blue:eth0:eth1:41-2`,
    `${directory}/.zone:blue:net1:eth1:40-1`,
    `${directory}/.zone:blue2:eth0:eth1:40-1`,
    `${directory}/.zone2:blue:eth0:eth1:40-1`,
    `${directory}/.40-1`,
  ];
  const files = Object.fromEntries([killed, ...others].map((file) => [file, ""]));
  // The writer of the first of the others still runs.
  const directories = { "/proc/41": 9 };

  test.each(["bridge-wrapper", "portmap-wrapper"])("%s: DEL deletes those of its attachment", (name) => {
    const del = { calledAs: `/opt/cni/bin/${name}`, env: { CNI_COMMAND: "DEL" } };
    expect(Object.keys(callWrapper(del, { files, directories }).files)).toEqual(others);
  });

  test("a DEL that fails leaves them to the next one", () => {
    const outcome = callWrapper({ env: { CNI_COMMAND: "DEL" } }, { files, directories, answers: [busy] });
    expect(Object.keys(outcome.files)).toEqual([killed, ...others]);
  });

  test("GC deletes those of attachments that are not valid", () => {
    const valid = [
      { containerID: "blue", ifname: "net1" },
      { containerID: "blue2", ifname: "eth0" },
    ];
    const stdin = { cniVersion: "1.1.0", name: "zone", "cni.dev/valid-attachments": valid };
    const env = { CNI_COMMAND: "GC", CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "" };
    expect(Object.keys(callWrapper({ env, stdin }, { files, directories }).files)).toEqual(others);
  });
});
