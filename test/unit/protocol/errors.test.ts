import { expect, test } from "vitest";
import { CniError, catalogue, type ErrorKey, toCniError } from "../../../shared/protocol/errors.ts";
import { type Call, callWrapper, exits, type Machine, printed } from "../support/fake-host.ts";
import { chainedOf, entryOf, journalFiles, net1 } from "../support/journals.ts";
import { bothResult as both, macvlanResult } from "../support/results.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };
const invalid = "invalid plugin configuration:";
const looked = "Looked for /opt/cni/bin/bridge (missing), /usr/lib/cni-wrappers/bridge (missing)";
const moved = "missing: address 172.26.64.2/20, rule from 172.26.64.2 lookup 100, route 172.26.64.0/20 table 100.";

const withWrapper = (wrapper: object, more: object = {}): Call => ({ stdin: { ...zone, wrapper, ...more } });
const withVariables = (env: Record<string, string>): Call => ({ env });
const unchained = withWrapper({ ifName: "eth1" }, { cniVersion: "0.2.0", prevResult: {} });
const afterEth0 = withWrapper({}, { prevResult: macvlanResult });
const eth1AfterEth0 = withWrapper({ ifName: "eth1" }, { prevResult: macvlanResult });
const checkOf = (ifName: string, prevResult: object) => ({
  ...withVariables({ CNI_COMMAND: "CHECK" }),
  ...withWrapper({ ifName }, { prevResult }),
});
const sbrsCheck = { ...checkOf("eth1", both), calledAs: "/opt/cni/bin/sbr-wrapper" };
const noList = checkOf("eth0", { ips: 1 });
const ofStatus = withVariables({ CNI_COMMAND: "STATUS" });
const misplaced: Call = { stdin: { ...zone, ifName: 1 } };
const required = withWrapper({ slaac: { wait: "1s", required: true } });

const nowhere: Machine = { inspect: () => "missing" };
const answering = (...answers: NonNullable<Machine["answers"]>): Machine => ({ answers });
const same = answering(exits(0, { ips: [{ address: "172.16.5.2/20" }] }), exits(0));
const talking = answering(exits(0, "done"));
const killed = answering({ ended: "signal", signal: "SIGKILL" });
const unstarted = answering({ ended: "not started", reason: "ENOEXEC" });
const cleared: Machine = { ...answering(exits(0, macvlanResult)), meanwhile: (files) => files.clear() };
const routing = {
  routes: [{ dst: "172.26.64.0/20", dev: "eth1", table: "100" }],
  rules: [{ src: "172.26.64.2", table: "100" }],
};
const files = journalFiles(chainedOf("sbr", { ifName: "eth1", done: { addresses: [], routing } }));
const withoutRouter: Machine = {
  ...answering(exits(0, macvlanResult), exits(0)),
  ip: () => JSON.stringify([{ ifname: "eth0", flags: ["UP"], addr_info: [] }]),
};
const delOf = withVariables({ CNI_COMMAND: "DEL" });
const unreadable = [...Object.keys(journalFiles(entryOf(net1)))];
const withSibling: Machine = { files: journalFiles(entryOf(), entryOf(net1)), unreadable };
const broken: Machine = {
  inspect() {
    throw new TypeError("broken");
  },
};

/** For every error of the catalogue: its code, its message, the part of its details about this case, and an input that leads to it. */
const cases: Record<ErrorKey, [code: number, msg: string, says: string, call?: Call, machine?: Machine]> = {
  incompatibleVersion: [1, "incompatible CNI versions", "cniVersion is 0.2.0", unchained],
  missingVariables: [4, "env variables [CNI_NETNS] missing", "CNI_COMMAND is ADD", withVariables({ CNI_NETNS: "" })],
  invalidVariable: [4, "invalid env variable CNI_IFNAME", "must not contain", withVariables({ CNI_IFNAME: "a:1" })],
  unknownCommand: [4, "unknown CNI_COMMAND: A", "The commands are ADD, DEL,", withVariables({ CNI_COMMAND: "A" })],
  unreadableInput: [5, "error reading from stdin", "EISDIR", { stdin: new Error("EISDIR") }],
  oversizedInput: [5, "plugin configuration is too large", "at most 8 MiB", { stdin: Buffer.alloc(2 ** 23 + 1, " ") }],
  undecodableInput: [6, "error unmarshall network config", "it is not a JSON object", { stdin: "[]" }],
  invalidConfiguration: [7, `${invalid} wrapper.role must be`, "Fix it", withWrapper({ role: "both" })],
  unknownWrapperKey: [7, "unknown key wrapper.ifname", "Did you mean wrapper.ifName?", withWrapper({ ifname: 1 })],
  misplacedKey: [7, `${invalid} misplaced key ifName`, 'Write "wrapper": { "ifName": ... }. Put', misplaced],
  unnamedDelegate: [7, "no delegate: started as /a/cni-wrappers", "<plugin>-wrapper", { calledAs: "/a/cni-wrappers" }],
  interfaceNameTaken: [7, "interface name eth0 is taken", "an earlier plugin of the list made it", afterEth0],
  invalidPrevResult: [7, "invalid prevResult: prevResult.ips must be a list", "An earlier plugin of the list", noList],
  unavailable: [50, "plugin not available: delegate bridge is missing", looked, ofStatus, nowhere],
  delegateNotFound: [100, "delegate bridge is missing", looked, {}, nowhere],
  delegateDied: [101, "delegate bridge died", "it was killed by SIGKILL", {}, killed],
  invalidDelegateOutput: [102, "output of delegate bridge is invalid", "it is not a JSON object", {}, talking],
  attachmentMissing: [103, "interface eth2 is not in prevResult", "prevResult has eth0, eth1.", checkOf("eth2", both)],
  delegateNotStarted: [104, "delegate bridge cannot be started", "ENOEXEC", {}, unstarted],
  routingMissing: [105, "routing of interface eth1 has changed", moved, sbrsCheck, { files, ip: () => "[]\n[]\n[]\n" }],
  routingUnreadable: [106, "routing of interface eth1 cannot be read", "/run/netns/blue", sbrsCheck, { files }],
  addressTaken: [
    107,
    "address 172.16.5.2/20 is taken",
    "Interface eth0 has it already. Give each",
    eth1AfterEth0,
    same,
  ],
  unwritableJournal: [5, "error writing the journal", "wrappers/blue/zone:eth0: EROFS", {}, { writeProblem: "EROFS" }],
  unreadableJournal: [5, "error reading the journal or result of", "blue/other:net1. DEL does not", delOf, withSibling],
  noRouterAddress: [109, "interface eth0 has no IPv6 address from a router", "within 1s. A", required, withoutRouter],
  givenUp: [108, "interface eth0 was given up during ADD", "ran at the same time", {}, cleared],
  internal: [999, "internal error of the wrapper", "TypeError: broken", {}, broken],
};

test.each(Object.entries(cases))(
  "%s is one CNI error object on stdout, and exit code 1",
  (_, [code, msg, says, call, machine]) => {
    const outcome = callWrapper(call, machine);
    expect(outcome).toMatchObject({ exitCode: 1, writes: 1, stdout: expect.stringMatching(/\}\n$/) });
    expect(printed(outcome)).toStrictEqual({
      ...{ cniVersion: expect.stringMatching(/^\d\.\d\.\d$/), code },
      ...{ msg: expect.stringContaining(msg), details: expect.stringContaining(says) },
    });
  },
);

test("codes from 100 are the project's own, lower ones are the specification's", () => {
  const codes = Object.values(catalogue).map(({ code }) => code);
  expect(codes.filter((code) => code < 100 && ![1, 4, 5, 6, 7, 50].includes(code))).toEqual([]);
});

test.each([
  [undefined, "undefined"],
  [new Error("ENOENT: no such file or directory, open '/x'"), "Error: ENOENT: missing, open '/x'"],
  ["Not Found", "missing"],
])("everything thrown becomes an error of the catalogue: %s", (thrown, details) => {
  expect(toCniError(thrown)).toMatchObject({ code: 999, details: expect.stringContaining(details) });
});

test.each(Object.entries(catalogue))(
  "the hint of %s is a sentence, and go-cni's Remove does not ignore it",
  (_, { msg, hint }) => {
    expect(hint).toMatch(/^[A-Z].+\.$/);
    expect(`${msg} ${hint}`).not.toMatch(/not found|no such file/i);
  },
);

test("the details say what was seen, if anything, then what to do", () => {
  const hint = "Read the kernel's log and the plugin's log.";
  expect(new CniError("delegateDied", "bridge").details).toBe(hint);
  expect(new CniError("delegateDied", "bridge", "it was killed by SIGKILL").details).toBe(
    `it was killed by SIGKILL. ${hint}`,
  );
});
