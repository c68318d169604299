import { describe, expect, test } from "vitest";
import { parseVariables } from "../../../shared/protocol/request.ts";

const complete = {
  CNI_CONTAINERID: "blue",
  CNI_NETNS: "/run/netns/blue",
  CNI_IFNAME: "eth0",
  CNI_ARGS: "IgnoreUnknown=1;K8S_POD_NAME=web",
  CNI_PATH: "/opt/cni/bin:/usr/lib/cni",
};

test.each(["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"])("%s: each variable has its place", (command) => {
  expect(parseVariables({ CNI_COMMAND: command, ...complete })).toStrictEqual({
    command,
    containerId: "blue",
    netns: "/run/netns/blue",
    ifName: "eth0",
    args: "IgnoreUnknown=1;K8S_POD_NAME=web",
    path: "/opt/cni/bin:/usr/lib/cni",
  });
});

// SPEC.md, section 2: "Required environment parameters" of each verb.
describe.each([
  ["unset", {}],
  ["empty", { CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "", CNI_PATH: "" }],
])("%s variables", (_, env) => {
  test.each([
    ["ADD", "CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME"],
    ["CHECK", "CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME"],
    ["DEL", "CNI_CONTAINERID,CNI_IFNAME"],
    ["GC", "CNI_PATH"],
  ])("%s reports every missing variable: %s", (command, missing) => {
    expect(() => parseVariables({ CNI_COMMAND: command, ...env })).toThrow(
      expect.objectContaining({ code: 4, message: `required env variables [${missing}] missing` }),
    );
  });

  test.each(["STATUS", "VERSION"])("%s needs none", (command) => {
    const none = { containerId: "", netns: "", ifName: "", args: "", path: "" };
    expect(parseVariables({ CNI_COMMAND: command, ...env })).toStrictEqual({ command, ...none });
  });
});

test.each([undefined, "", "add", " ADD", "ADD ", "PRUNE", "toString", "__proto__"])("%j is not a verb", (command) => {
  expect(() => parseVariables({ CNI_COMMAND: command, ...complete })).toThrow(
    expect.objectContaining({ code: 4, message: `unknown CNI_COMMAND: ${command ?? ""}` }),
  );
});

describe.each(["ADD", "DEL", "CHECK"])("%s refuses invalid names", (command) => {
  test.each([
    ["CNI_CONTAINERID", "../blue"],
    ["CNI_IFNAME", "eth0/1"],
  ])("%s=%s", (name, value) => {
    const invalid = { code: 4, message: `invalid env variable ${name}`, details: expect.stringContaining(value) };
    const parse = () => parseVariables({ CNI_COMMAND: command, ...complete, [name]: value });
    expect(parse).toThrow(expect.objectContaining(invalid));
  });
});
