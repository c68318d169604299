import { expect, test } from "vitest";
import { listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { attachmentOf } from "../../../../cli/live/cached-results.ts";
import { callOf, callOrder, notSent, withSortedKeys } from "../../../../cli/live/libcni.ts";
import { callsIn } from "../../../../cli/live/run-plugin.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { parsedList } from "../explain/support.ts";

const attachment = cachedAttachment({
  args: Object.entries({ IgnoreUnknown: "true", NOMAD_JOB_ID: "web" }),
  capabilityArgs: { portMappings: [{ hostPort: 8080, containerPort: 80 }], bandwidth: { ingressRate: 1 } },
  result: { cniVersion: "1.0.0", ips: [{ address: "172.16.5.2/24", interface: 0 }] },
});

const zone = {
  cniVersion: "1.0.0",
  name: "zone",
  plugins: [
    { type: "bridge-wrapper", bridge: "b0", wrapper: { recover: "never", log: { file: "/var/log/x" } } },
    { type: "portmap", capabilities: { portMappings: true, bandwidth: false } },
  ],
};

test("CHECK runs the plugins in order, with what libcni adds to each, and without a log", () => {
  const environment = {
    ...{ CNI_COMMAND: "CHECK", CNI_CONTAINERID: "c1", CNI_NETNS: "/run/netns/c1", CNI_IFNAME: "eth0" },
    ...{ CNI_ARGS: "IgnoreUnknown=true;NOMAD_JOB_ID=web", CNI_PATH: "/one:/two" },
  };
  const prevResult = { cniVersion: "1.0.0", ips: [{ address: "172.16.5.2/24", interface: 0 }] };
  const common = { name: "zone", cniVersion: "1.0.0", prevResult };
  const list = parsedList(zone);
  const { result } = attachment;
  const calls = callsIn({ list, verb: "CHECK", attachment: attachmentOf(attachment, "/one:/two"), result });
  const made: unknown[] = [];
  for (let next = calls.next(); !next.done; next = calls.next({ isPassed: true })) {
    const [{ type }, call] = next.value;
    made.push({ type, ...call });
  }
  const bridge = { type: "bridge-wrapper", bridge: "b0", wrapper: { recover: "never" } };
  const portmap = { type: "portmap", capabilities: { portMappings: true, bandwidth: false } };
  const runtimeConfig = { portMappings: [{ hostPort: 8080, containerPort: 80 }] };
  expect(made).toEqual([
    { type: "bridge-wrapper", environment, stdin: { ...bridge, ...common } },
    { type: "portmap", environment, stdin: { ...portmap, ...common, runtimeConfig } },
  ]);
});

// libcni/api.go: buildOneConfig, and the functions of the verbs. DEL gets the result from 0.4.0 on.
test.each([
  ["ADD", "0.3.1", true, true],
  ["ADD", "1.1.0", true, true],
  ["CHECK", "0.4.0", true, true],
  ["DEL", "0.3.1", true, false],
  ["DEL", "0.4.0", true, true],
  ["GC", "1.1.0", false, false],
  ["STATUS", "1.1.0", false, false],
] as const)("a call of %s in %s", (verb, cniVersion, isOfContainer, hasResult) => {
  const list = parsedList({ ...zone, cniVersion });
  const one = attachmentOf(attachment, "/one:/two");
  const own = (value: string) => (isOfContainer ? value : "");
  const valid = [{ containerID: "c1", ifname: "eth0" }];
  const { environment, stdin } = callOf(list, 1, verb, one, attachment.result);
  expect(environment).toEqual({
    CNI_COMMAND: verb,
    CNI_CONTAINERID: own("c1"),
    CNI_NETNS: own("/run/netns/c1"),
    CNI_IFNAME: own("eth0"),
    CNI_ARGS: own("IgnoreUnknown=true;NOMAD_JOB_ID=web"),
    CNI_PATH: "/one:/two",
  });
  expect(stdin).toStrictEqual({
    ...{ type: "portmap", capabilities: { portMappings: true, bandwidth: false }, name: "zone", cniVersion },
    ...(hasResult && { prevResult: attachment.result }),
    ...(isOfContainer && { runtimeConfig: { portMappings: attachment.capabilityArgs.portMappings } }),
    ...(verb === "GC" && { "cni.dev/attachments": valid, "cni.dev/valid-attachments": valid }),
  });
  expect(callOrder(list, verb)).toEqual(verb === "DEL" ? [1, 0] : [0, 1]);
});

test("a list without a version or a name has none in its calls, and shows a result in the form of the first version", () => {
  const list = listOf(parseListFile("x.conf", '{"type":"ptp"}'));
  if (list === undefined) throw new Error("no list");
  const one = { ...attachmentOf(attachment, "/one"), capabilityArgs: {} };
  expect(callOf(list, 0, "ADD", one, undefined).stdin).toStrictEqual({ type: "ptp", name: "" });
  const next = callsIn({ list, verb: "CHECK", attachment: one, result: attachment.result }).next();
  const ips = [{ version: "4", address: "172.16.5.2/24", interface: 0 }];
  expect(next.done ? undefined : next.value[1].stdin).toStrictEqual({
    type: "ptp",
    name: "",
    prevResult: { cniVersion: "0.1.0", ips },
  });
});

test("keys are in the order of Go's JSON, but those of a result as they came", () => {
  const value = { b: [{ d: 1, c: 2 }], a: null, prevResult: { z: 1, y: { x: 1, w: 2 } }, B: "text" };
  const sorted = '{"B":"text","a":null,"b":[{"c":2,"d":1}],"prevResult":{"z":1,"y":{"x":1,"w":2}}}';
  expect(JSON.stringify(withSortedKeys(value))).toBe(sorted);
});

test.each([
  ["CHECK", undefined, "the list's cniVersion is 0.1.0, and CHECK came with 0.4.0"],
  ["CHECK", "0.2.0", "the list's cniVersion is 0.2.0, and CHECK came with 0.4.0"],
  ["CHECK", "0.3.1", "the list's cniVersion is 0.3.1, and CHECK came with 0.4.0"],
  ["CHECK", "0.4.0", undefined],
  ["CHECK", "1.1.0", undefined],
  ["GC", undefined, "the list's cniVersion is 0.1.0, and GC came with 1.1.0"],
  ["GC", "0.3.1", "the list's cniVersion is 0.3.1, and GC came with 1.1.0"],
  ["STATUS", "0.4.0", "the list's cniVersion is 0.4.0, and STATUS came with 1.1.0"],
  ["STATUS", "1.0.0", "the list's cniVersion is 1.0.0, and STATUS came with 1.1.0"],
  ["GC", "1.1.0", undefined],
  ["STATUS", "1.1.0", undefined],
  ["ADD", "0.1.0", undefined],
  ["DEL", undefined, undefined],
] as const)("a runtime sends %s for a list of version %s, or says why not", (verb, cniVersion, why) => {
  const value = { ...zone, cniVersion };
  expect(notSent(parsedList(value), verb)).toBe(why);
  const silenced = parsedList({ ...value, disableCheck: true });
  expect(notSent(silenced, verb)).toBe(verb === "CHECK" ? 'the list says "disableCheck": true' : why);
});
