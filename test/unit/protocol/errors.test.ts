import { describe, expect, test } from "vitest";
import { CniError, catalogue, type ErrorKey, toCniError } from "../../../shared/protocol/errors.ts";
import { type Call, callWrapper, exits, type Machine, printed } from "../support/fake-host.ts";
import { chainedOf, journalFiles } from "../support/journals.ts";
import { bothResult, macvlanResult } from "../support/results.ts";

interface Case {
  readonly code: number;
  readonly msg: string;
  /** The part of the details about this case. */
  readonly says: string;
  readonly call?: Call;
  readonly machine?: Machine;
}

const zone = { cniVersion: "1.0.0", name: "zone" };
const nowhere: Machine = { inspect: () => "missing" };

const behindSbr = { ...zone, wrapper: { ifName: "eth1" }, prevResult: bothResult };
const routing = {
  routes: [{ dst: "172.26.64.0/20", dev: "eth1", table: "100" }],
  rules: [{ src: "172.26.64.2", table: "100" }],
};
const movedRoutes = journalFiles(chainedOf("sbr", { ifName: "eth1", done: { addresses: [], routing } }));

/** For every error of the catalogue, an input that leads to it. */
const cases: Record<ErrorKey, Case> = {
  incompatibleVersion: {
    code: 1,
    msg: "incompatible CNI versions",
    says: "cniVersion is 0.2.0",
    call: { stdin: { cniVersion: "0.2.0", name: "zone", wrapper: { ifName: "eth1" }, prevResult: {} } },
  },
  missingVariables: {
    code: 4,
    msg: "required env variables [CNI_CONTAINERID,CNI_NETNS] missing",
    says: "CNI_COMMAND is ADD",
    call: { env: { CNI_CONTAINERID: "", CNI_NETNS: "" } },
  },
  invalidVariable: {
    code: 4,
    msg: "invalid env variable CNI_IFNAME",
    says: '"eth0:1" must not contain',
    call: { env: { CNI_IFNAME: "eth0:1" } },
  },
  unknownCommand: {
    code: 4,
    msg: "unknown CNI_COMMAND: PRUNE",
    says: "The commands are ADD, DEL, CHECK, GC, STATUS and VERSION.",
    call: { env: { CNI_COMMAND: "PRUNE" } },
  },
  unreadableInput: {
    code: 5,
    msg: "error reading from stdin",
    says: "EISDIR",
    call: { stdin: new Error("EISDIR") },
  },
  oversizedInput: {
    code: 5,
    msg: "plugin configuration is too large",
    says: "reads at most 8 MiB",
    call: { stdin: Buffer.alloc(8 * 1024 * 1024 + 1, " ") },
  },
  undecodableInput: {
    code: 6,
    msg: "error unmarshall network config",
    says: "it is not a JSON object",
    call: { stdin: "[]" },
  },
  invalidConfiguration: {
    code: 7,
    msg: "invalid plugin configuration: wrapper.role must be",
    says: "Fix it",
    call: { stdin: { ...zone, wrapper: { role: "both" } } },
  },
  unknownWrapperKey: {
    code: 7,
    msg: "invalid plugin configuration: unknown key wrapper.ifname",
    says: "Did you mean wrapper.ifName?",
    call: { stdin: { ...zone, wrapper: { ifname: "eth1" } } },
  },
  misplacedKey: {
    code: 7,
    msg: "invalid plugin configuration: misplaced key ifName",
    says: 'Write "wrapper": { "ifName": ... }. Put the keys of the wrapper',
    call: { stdin: { ...zone, ifName: "eth1" } },
  },
  unnamedDelegate: {
    code: 7,
    msg: "no delegate: started as /opt/cni/bin/cni-wrappers",
    says: "<plugin>-wrapper",
    call: { calledAs: "/opt/cni/bin/cni-wrappers" },
  },
  interfaceNameTaken: {
    code: 7,
    msg: "interface name eth0 is taken",
    says: "an earlier plugin of the list made it",
    call: { stdin: { ...zone, prevResult: macvlanResult } },
  },
  invalidPrevResult: {
    code: 7,
    msg: "invalid prevResult: prevResult.interfaces[0].name must be a string",
    says: "An earlier plugin of the list returned it",
    call: { env: { CNI_COMMAND: "CHECK" }, stdin: { ...zone, prevResult: { interfaces: [{}] } } },
  },
  unavailable: {
    code: 50,
    msg: "plugin not available: delegate bridge is missing",
    says: "Looked for /opt/cni/bin/bridge (missing), /usr/lib/cni-wrappers/bridge (missing)",
    call: { env: { CNI_COMMAND: "STATUS" } },
    machine: nowhere,
  },
  delegateNotFound: {
    code: 100,
    msg: "delegate bridge is missing",
    says: "Looked for /opt/cni/bin/bridge (missing), /usr/lib/cni-wrappers/bridge (missing)",
    machine: nowhere,
  },
  delegateDied: {
    code: 101,
    msg: "delegate bridge died",
    says: "it was killed by SIGKILL",
    machine: { answers: [{ ended: "signal", signal: "SIGKILL" }] },
  },
  invalidDelegateOutput: {
    code: 102,
    msg: "output of delegate bridge is invalid",
    says: "it is not a JSON object",
    machine: { answers: [exits(0, "done\n")] },
  },
  attachmentMissing: {
    code: 103,
    msg: "interface eth2 is not in prevResult",
    says: "prevResult has eth0, eth1.",
    call: { env: { CNI_COMMAND: "CHECK" }, stdin: { ...zone, wrapper: { ifName: "eth2" }, prevResult: bothResult } },
  },
  delegateNotStarted: {
    code: 104,
    msg: "delegate bridge cannot be started",
    says: "ENOEXEC",
    machine: { answers: [{ ended: "not started", reason: "ENOEXEC" }] },
  },
  routingMissing: {
    code: 105,
    msg: "routing of interface eth1 has changed",
    says: "missing: address 172.26.64.2/20, rule from 172.26.64.2 lookup 100, route 172.26.64.0/20 table 100.",
    call: { calledAs: "/opt/cni/bin/sbr-wrapper", env: { CNI_COMMAND: "CHECK" }, stdin: behindSbr },
    machine: { files: movedRoutes, ip: () => "[]\n[]\n[]\n" },
  },
  routingUnreadable: {
    code: 106,
    msg: "routing of interface eth1 cannot be read",
    says: "the namespace is /run/netns/blue",
    call: { calledAs: "/opt/cni/bin/sbr-wrapper", env: { CNI_COMMAND: "CHECK" }, stdin: behindSbr },
    machine: { files: movedRoutes },
  },
  addressTaken: {
    code: 107,
    msg: "address 172.16.5.2/20 is taken",
    says: "Interface eth0 has it already. Give each interface",
    call: { stdin: { ...zone, wrapper: { ifName: "eth1" }, prevResult: macvlanResult } },
    machine: { answers: [exits(0, { ips: [{ address: "172.16.5.2/20" }] }), exits(0)] },
  },
  unwritableJournal: {
    code: 5,
    msg: "error writing the journal",
    says: "/var/lib/cni/wrappers/blue/zone:eth0: EROFS",
    machine: { writeProblem: "EROFS" },
  },
  noRouterAddress: {
    code: 109,
    msg: "interface eth0 has no IPv6 address from a router",
    says: "none came within 1s. A router of",
    call: { stdin: { ...zone, wrapper: { slaac: { wait: "1s", required: true } } } },
    machine: {
      answers: [exits(0, macvlanResult), exits(0)],
      ip: () => JSON.stringify([{ ifname: "eth0", flags: ["UP"], addr_info: [] }]),
    },
  },
  givenUp: {
    code: 108,
    msg: "interface eth0 was given up during ADD",
    says: "ran at the same time",
    machine: { answers: [exits(0, macvlanResult)], meanwhile: (files) => files.clear() },
  },
  internal: {
    code: 999,
    msg: "internal error of the wrapper",
    says: "TypeError: broken",
    machine: {
      inspect() {
        throw new TypeError("broken");
      },
    },
  },
};

describe.each(Object.entries(cases))("%s", (_, { code, msg, says, call, machine }) => {
  const outcome = callWrapper(call, machine);

  test("is one CNI error object on stdout, and exit code 1", () => {
    expect(outcome).toMatchObject({ exitCode: 1, writes: 1, stdout: expect.stringMatching(/\}\n$/) });
    expect(printed(outcome)).toStrictEqual({
      cniVersion: expect.stringMatching(/^\d\.\d\.\d$/),
      code,
      msg: expect.stringContaining(msg),
      details: expect.stringContaining(says),
    });
  });
});

test("codes from 100 are the project's own, lower ones are the specification's", () => {
  const codes = Object.values(catalogue).map(({ code }) => code);
  expect(codes.filter((code) => code < 100 && ![1, 4, 5, 6, 7, 50].includes(code))).toEqual([]);
});

test.each([
  [new RangeError("too deep"), "RangeError: too deep"],
  ["text", "text"],
  [undefined, "undefined"],
  [new Error("ENOENT: no such file or directory, open '/x'"), "Error: ENOENT: missing, open '/x'"],
  ["Not Found", "missing"],
])("everything thrown becomes an error of the catalogue: %s", (thrown, details) => {
  expect(toCniError(thrown)).toMatchObject({ code: 999, details: expect.stringContaining(details) });
});

test.each(Object.entries(catalogue))("the hint of %s is a sentence", (_, { hint }) => {
  expect(hint).toMatch(/^[A-Z].+\.$/);
});

test.each(Object.entries(catalogue))("go-cni's Remove does not ignore %s", (_, { msg, hint }) => {
  expect(`${msg} ${hint}`).not.toMatch(/not found|no such file/i);
});

test("the details say what was seen, if anything, then what to do", () => {
  const hint = "Read the kernel's log and the plugin's log.";
  expect(new CniError("delegateDied", "bridge").details).toBe(hint);
  expect(new CniError("delegateDied", "bridge", "it was killed by SIGKILL").details).toBe(
    `it was killed by SIGKILL. ${hint}`,
  );
});
