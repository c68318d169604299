import { describe, expect, test } from "vitest";
import { listedAs } from "../../../shared/plan/listed.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { AttachmentRecord } from "../../../shared/record/record.ts";
import { type Call, callWrapper, exits, type Machine, printed } from "../support/fake-host.ts";
import { recordOf } from "../support/records.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult, macvlanResult } from "../support/results.ts";

const directory = "/var/lib/cni/wrappers";
const file = `${directory}/zone:blue:eth0:eth0`;
const cache = "/var/lib/cni/results/zone-blue-eth0";
const bootFile = "/proc/sys/kernel/random/boot_id";

const refused = exits(1, { code: 999, msg: "no" });
const address = "10.0.0.2/24";
const passed = exits(0, {
  cniVersion: "1.0.0",
  interfaces: [{ name: "eth0", sandbox: blue }],
  ips: [{ address, interface: 0 }],
});
const log = { file: "/log", level: "warn" };

const text = (changes: Partial<AttachmentRecord> = {}): string => JSON.stringify(recordOf(changes));
const add = (machine: Machine, wrapper: JsonObject = {}, more: JsonObject = {}) =>
  callWrapper(
    { stdin: { cniVersion: "1.0.0", name: "zone", ipam: { type: "host-local" }, wrapper, ...more } },
    machine,
  );
/** The delegate's verbs, those without a namespace, and the requested addresses. */
const runs = ({ runs: all }: ReturnType<typeof add>) =>
  all.map(({ env, stdin }) => {
    const asked = (stdin as { args?: { cni: { ips: string[] } } }).args?.cni.ips;
    return [
      env.CNI_COMMAND,
      ...(env.CNI_NETNS === blue ? [] : [env.CNI_NETNS === "" ? "in no namespace" : `in ${env.CNI_NETNS}`]),
      ...(asked ?? []),
    ].join(" ");
  });
/** The content of a record without the checksum of the configuration. */
const recorded = (outcome: ReturnType<typeof add>, path = file): JsonObject => {
  const { listed: _, ...said } = JSON.parse(outcome.files[path] ?? "{}");
  return said;
};
const messages = (outcome: ReturnType<typeof add>) => outcome.log.map(({ line }) => JSON.parse(line).message);

describe("the record", () => {
  test("has what ADD made, once ADD has passed", () => {
    const outcome = add({ answers: [passed], links: [0, 7] });
    expect(runs(outcome)).toEqual(["ADD"]);
    expect(recorded(outcome)).toEqual(recordOf({ addresses: [address] }));
  });

  test("leaves open what a creator made if it reports an interface that does not exist", () => {
    const { made: _, ...expected } = recordOf({ addresses: [address] });
    expect(recorded(add({ answers: [passed], links: [0, 0] }))).toEqual(expected);
    expect(recorded(add({ answers: [passed], links: [7, 7] }))).toEqual(recordOf({ before: 7, addresses: [address] }));
  });

  test("has the interface and the delegate's network", () => {
    const outcome = add({ answers: [passed], links: [0, 7] }, { ifName: "eth1", network: "disc" });
    const expected = recordOf({ ifName: "eth1", delegateNetwork: "disc", addresses: [address] });
    expect(recorded(outcome, `${directory}/zone:blue:eth0:eth1`)).toEqual(expected);
  });

  test("identifies the configuration with any keys of the runtime and any interface name", () => {
    const listed = (stdin: JsonObject, path = file) =>
      JSON.parse(
        callWrapper({ stdin: { cniVersion: "1.0.0", name: "zone", ...stdin } }, { answers: [passed] }).files[path] ??
          "",
      ).listed;
    expect(listed({})).toMatch(/^[0-9a-f]+$/);
    expect(listed({ runtimeConfig: {}, cniVersion: "1.1.0", wrapper: {}, prevResult: {} })).toBe(listed({}));
    expect(listed({ wrapper: { ifName: "eth1" } }, `${directory}/zone:blue:eth0:eth1`)).toBe(listed({}));
    expect(listed({ ipMasq: true })).not.toBe(listed({}));
  });

  test("exists while ADD runs, so that it outlives the wrapper", () => {
    const outcome = add({ answers: [{ ended: "signal", signal: "SIGKILL" }], links: [5] });
    const { made: _, ...expected } = recordOf({ before: 5 });
    expect(recorded(outcome)).toEqual(expected);
  });

  test("says that a try has begun, after another try that left nothing", () => {
    const files = { [file]: text({ before: 0, made: 0 }) };
    const outcome = add({ answers: [{ ended: "signal", signal: "SIGKILL" }], links: [0], files });
    const { made: _, ...expected } = recordOf();
    expect(recorded(outcome)).toEqual(expected);
  });

  test("keeps the interface of an earlier try if the DEL that should remove it fails", () => {
    const files = { [file]: text() };
    const outcome = add({ answers: [refused, refused, refused], links: [7], files });
    expect(runs(outcome)).toEqual(["ADD", "DEL", "ADD"]);
    expect(recorded(outcome)).toEqual(recordOf({ before: 7 }));
  });

  describe("of another namespace of this boot, while ADD runs in this one", () => {
    const elsewhere = { namespace: "4:1", addresses: ["10.0.0.9/24"] };
    const killed = { answers: [{ ended: "signal", signal: "SIGKILL" }], links: [0] } as const;
    const later = { netns: blue, namespace: recordOf().namespace };

    test("names both, so that no GC frees the new leases", () => {
      const outcome = add({ ...killed, files: { [file]: text(elsewhere) } });
      expect(recorded(outcome)).toMatchObject({ ...recordOf(elsewhere), later });
    });

    test("keeps its first time, which tells whether its attachment is complete", () => {
      const first = { ...elsewhere, later: { netns: "/run/netns/red", namespace: "4:2", recordedMs: 42 } };
      const outcome = add({ ...killed, files: { [file]: text(first) } });
      expect(recorded(outcome)).toMatchObject({ later: { ...later, recordedMs: 42 } });
    });

    test("names only this one once ADD has passed", () => {
      const outcome = add({ answers: [passed], links: [0, 7], files: { [file]: text(elsewhere) } });
      expect(recorded(outcome)).toEqual(recordOf({ addresses: [address] }));
    });
  });

  test("is complete if it was written before libcni's result, whenever a later ADD ran elsewhere", () => {
    const tried = (recordedMs: number) => {
      const later = { netns: "/run/netns/red", namespace: "4:1", recordedMs };
      return runs(add({ answers: [refused], links: [7], files: { [file]: text({ later }) } }));
    };
    expect(tried(Date.UTC(2030, 0, 2, 3, 0))).toEqual(["ADD", "DEL", "ADD"]);
    expect(tried(0)).toEqual(["ADD"]);
  });

  test.each([
    ["left an interface", [0, 9], { before: 0, made: 9 }],
    ["left none", [0, 0], { before: 0, made: 0 }],
    ["found one that stayed", [4, 4], { before: 4, made: 0 }],
  ])("has what a failed ADD has made: it %s", (_, links, expected) => {
    expect(recorded(add({ answers: [refused], links }))).toEqual(recordOf(expected));
  });

  test.each([[[undefined, 7]], [[7, undefined]]])(
    "leaves open what was made if the namespace cannot be read: %j",
    (links) => {
      expect(recorded(add({ answers: [refused], links }))).not.toHaveProperty("made");
    },
  );

  test("has no index if the namespace cannot be read", () => {
    const { before: _before, made: _made, ...expected } = recordOf();
    expect(recorded(add({ answers: [refused], links: [undefined] }))).toEqual(expected);
  });

  test("is deleted if the wrapper fails and the delegate's DEL passes, and stays if DEL fails", () => {
    expect(add({ answers: [exits(0, "no JSON"), exits(0)] }).files).not.toHaveProperty([file]);
    expect(add({ answers: [exits(0, "no JSON"), exits(1)] }).files).toHaveProperty([file]);
  });

  test("is not written if ADD fails and libcni knows an attachment without a record", () => {
    expect(add({ answers: [refused], files: { [cache]: "{}" } }).files).not.toHaveProperty([file]);
    expect(add({ answers: [passed], files: { [cache]: "{}" } }).files).toHaveProperty([file]);
  });

  test.each([
    ["of a live attachment", { [file]: text(), [cache]: "{}" }],
    ["of another namespace", { [file]: text({ namespace: "4:1" }) }],
  ])("%s survives a failed ADD and is renewed by one that passes", (_, files) => {
    const { later: _later, ...left } = recorded(add({ answers: [refused], files, links: [0, 9] }));
    expect(left).toEqual(JSON.parse(files[file] ?? ""));
    expect(recorded(add({ answers: [passed], files, links: [0, 9] }))).toEqual(
      recordOf({ made: 9, addresses: [address] }),
    );
  });

  test('is also written with "never", but nothing is recovered', () => {
    const outcome = add({ answers: [refused], files: { [file]: text({ bootId: "before" }) } }, { recover: "never" });
    expect(runs(outcome)).toEqual(["ADD"]);
    expect(recorded(add({ answers: [passed], links: [0, 7] }, { recover: "never" }))).toEqual(
      recordOf({ addresses: [address] }),
    );
  });

  test("is ignored if it contradicts its file's name", () => {
    const files = { [file]: text({ network: "zo", containerId: "ne:blue", made: 3, addresses: ["10.9.9.9/24"] }) };
    expect(runs(add({ answers: [refused, exits(0), passed], files, links: [3, 3] }))).toEqual(["ADD"]);
  });
});

describe("ADD fails after an earlier try", () => {
  const tried = { [file]: text({ made: 7, addresses: [address] }) };
  const again = [`ADD ${address}`, "DEL", `ADD ${address}`];
  const answers = [refused, exits(0), passed];

  test("its leases and its interface are removed, and the second answer counts", () => {
    const outcome = add({ answers, files: tried, links: [7, 7, 0, 8] }, { log });
    expect(outcome.exitCode).toBe(0);
    expect(runs(outcome)).toEqual(again);
    expect(recorded(outcome)).toEqual(recordOf({ made: 8, addresses: [address] }));
    expect(messages(outcome)).toContain("ADD failed after an earlier try: running DEL and ADD once more");
  });

  test("a second failure counts, and a failed DEL stops nothing", () => {
    const outcome = add({ answers: [refused, exits(1), exits(3, "{}")], files: tried, links: [7, 7, 0, 9] });
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "{}" });
    expect(runs(outcome)).toEqual(again);
    expect(recorded(outcome)).toEqual(recordOf({ made: 9, addresses: [address] }));
  });

  test("the record has what is known while the second ADD runs, so that it outlives the wrapper", () => {
    const killed = { ended: "signal", signal: "SIGKILL" } as const;
    const outcome = add({ answers: [refused, exits(0), killed], files: tried, links: [7, 7, 5] });
    const { made: _, ...expected } = recordOf({ before: 5, addresses: [address] });
    expect(recorded(outcome)).toEqual(expected);
  });

  test("the record keeps the index of the interface that the earlier try left, while ADD runs", () => {
    const killed = { ended: "signal", signal: "SIGKILL" } as const;
    expect(recorded(add({ answers: [killed], files: { [file]: text() }, links: [7] }))).toEqual(recordOf());
  });

  test("the record names the interface that a failed DEL left, while the second ADD runs", () => {
    const killed = { ended: "signal", signal: "SIGKILL" } as const;
    const outcome = add({ answers: [refused, refused, killed], files: { [file]: text() }, links: [7] });
    expect(recorded(outcome)).toEqual(recordOf({ before: 7 }));
  });

  test("the record leaves open what the second ADD makes if the earlier try left nothing", () => {
    const killed = { ended: "signal", signal: "SIGKILL" } as const;
    const outcome = add({ answers: [refused, exits(0), killed], files: { [file]: text({ made: 0 }) }, links: [0] });
    const { made: _, ...expected } = recordOf();
    expect(recorded(outcome)).toEqual(expected);
  });

  test("the record has the addresses that the second ADD gave", () => {
    const other = exits(0, { cniVersion: "1.0.0", ips: [{ address: "10.0.0.7/24" }] });
    const outcome = add({ answers: [refused, exits(0), other], files: tried, links: [7, 7, 0, 8] });
    expect(recorded(outcome)).toEqual(recordOf({ made: 8, addresses: ["10.0.0.7/24"] }));
  });

  test("it does not ask for a live attachment's addresses", () => {
    const files = { ...tried, [cache]: "{}" };
    expect(runs(add({ answers: [refused], files, links: [7, 7] }))).toEqual(["ADD"]);
  });

  test("if the list was edited in between: asks for the address first, and then takes another", () => {
    const listed = listedAs(requestOf("ADD", { ipam: { type: "host-local" } }));
    const asked = (record: Partial<AttachmentRecord>) =>
      runs(add({ answers, files: { [file]: text({ addresses: [address], ...record }) }, links: [7, 7, 0, 8] }));
    expect(asked({ listed })).toEqual(again);
    expect(asked({ listed: "edited" })).toEqual([`ADD ${address}`, "DEL", "ADD"]);
  });

  test("the addresses are kept for a third try", () => {
    const files = { [file]: text({ made: 0, addresses: [address] }) };
    expect(runs(add({ answers: [passed], files, links: [0, 7] }))).toEqual([`ADD ${address}`]);
  });

  test("an ADD that passes the first time counts", () => {
    const outcome = add({ answers: [passed], files: tried, links: [7, 8] });
    expect(runs(outcome)).toEqual([`ADD ${address}`]);
  });

  test("the runtime's request in CNI_ARGS counts", () => {
    const call: Call = {
      env: { CNI_ARGS: "IP=10.0.0.9" },
      stdin: { cniVersion: "1.0.0", name: "zone", ipam: { type: "host-local" } },
    };
    const outcome = callWrapper(call, { answers, files: tried, links: [7, 7, 0, 8] });
    expect(runs(outcome)).toEqual(["ADD", "DEL", "ADD"]);
  });

  test("the runtime's request counts for a renamed interface, too", () => {
    const files = { [`${directory}/zone:blue:eth0:eth1`]: text({ ifName: "eth1", made: 7, addresses: [address] }) };
    const ipam = { type: "host-local", subnet: "172.26.64.0/20" };
    const stdin = { cniVersion: "1.0.0", name: "zone", ipam, wrapper: { ifName: "eth1" } };
    const asked = (env: Record<string, string>) =>
      runs(callWrapper({ env, stdin }, { answers, files, links: [7, 7, 0, 8] }))[2];
    expect(asked({ CNI_ARGS: "IP=10.0.0.9" })).toBe(`ADD ${address}`);
    expect(asked({})).toBe(`ADD ${address}`);
  });

  test("only the interface's own addresses count, not others in the answer", () => {
    const many = exits(0, {
      cniVersion: "1.0.0",
      interfaces: [
        { name: "eth0", sandbox: "/run/netns/red" },
        { name: "eth0", sandbox: blue },
        { name: "eth9", sandbox: blue },
      ],
      ips: [
        { address: "10.0.0.1/24", interface: 0 },
        { address: "10.0.0.2/24", interface: 1 },
        { address: "10.0.0.3/24" },
        { address: "10.0.0.4/24", interface: 2 },
      ],
    });
    expect(recorded(add({ answers: [many], links: [0, 7] }))).toEqual(
      recordOf({ addresses: ["10.0.0.2/24", "10.0.0.3/24"] }),
    );
  });

  test.each<[string, Machine, JsonObject]>([
    ["somebody else's interface is there", { files: tried, links: [9, 9] }, {}],
    ["the wrapper cannot look", { files: tried, links: [undefined] }, {}],
    ["it was completed", { files: { ...tried, [cache]: "{}" }, links: [7, 7] }, {}],
    ["there is no record", { links: [0, 9] }, {}],
    ["there is no record", { links: [0, 9] }, { recover: "always" }],
    ["recovery is off", { files: tried, links: [7, 7] }, { recover: "never" }],
  ])("the error is returned: %s", (_, machine, wrapper) => {
    const outcome = add({ answers: [refused], ...machine }, wrapper);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.runs).toHaveLength(1);
  });

  test("libcni's result belongs to an earlier attachment if it is older than the record", () => {
    const files = { [cache]: "{}", ...tried };
    expect(runs(add({ answers, files, links: [7, 7, 0, 8] }))).toEqual(again);
  });

  test.each([
    ["of another namespace", { [file]: text({ namespace: "4:1", addresses: [address] }) }],
    ["of a completed attachment", { ...tried, [cache]: "{}" }],
  ])('"always" gives up the attachment %s, with its addresses', (_, files) => {
    expect(runs(add({ answers, files, links: [0, 0, 0, 7] }, { recover: "always" }))).toEqual(again);
  });

  test.each(["", "{", "[]", "{}", '{"network": 1}'])("an unreadable record (%j): the namespace decides", (broken) => {
    const files = { [file]: broken, [cache]: "{}" };
    expect(runs(add({ answers, files, links: [0, 9, 0, 7] }))).toEqual(["ADD", "DEL", "ADD"]);
    expect(runs(add({ answers, files, links: [9, 9] }))).toEqual(["ADD"]);
  });
});

describe("the wrapper was killed before it could record what ADD made", () => {
  const killed = { [file]: text({ made: undefined }) };
  const answers = [refused, exits(0), passed];
  const claim = (containerId: string, sandbox: string, name = "eth0") =>
    JSON.stringify({ kind: "cniCacheV1", containerId, result: { interfaces: [{ name, sandbox }] } });
  const recovers = (files: Record<string, string>) =>
    add({ answers, files: { ...files, ...killed }, links: [7, 7, 0, 8] }).runs.length === 3;

  test("an unclaimed interface is its own", () => {
    expect(recovers({})).toBe(true);
    expect(recovers({ "/var/lib/cni/results/other-red-eth0": claim("red", blue) })).toBe(true);
    expect(recovers({ "/var/lib/cni/results/other-blue-eth1": claim("blue", blue, "eth1") })).toBe(true);
    expect(recovers({ "/var/lib/cni/results/other-blue-eth0": claim("blue", "/run/netns/red") })).toBe(true);
    expect(recovers({ [cache]: claim("blue", blue) })).toBe(true);
    expect(recovers({ [`${directory}/zone:blue:eth0:eth1`]: text({ ifName: "eth1" }) })).toBe(true);
    expect(recovers({ [`${directory}/other:blue:eth0:eth0`]: "{" })).toBe(true);
    expect(recovers({ [`${directory}/other:blue:eth0:eth0`]: text({ network: "other", made: 0 }) })).toBe(true);
  });

  test("an interface that libcni's result or another record claims is not", () => {
    expect(recovers({ "/var/lib/cni/results/other-blue-eth0": claim("blue", blue) })).toBe(false);
    expect(recovers({ [`${directory}/other:blue:eth0:eth0`]: text({ network: "other" }) })).toBe(false);
  });

  test("not even with the recorded index: a new namespace may have the inode of an old one", () => {
    const claimed = { "/var/lib/cni/results/other-blue-eth0": claim("blue", blue) };
    const outcome = add({ answers, files: { ...claimed, [file]: text() }, links: [7, 7] });
    expect(runs(outcome)).toEqual(["ADD"]);
  });
});

describe("after a reboot", () => {
  const files = { [cache]: "{}", [file]: text({ bootId: "before", namespace: "4:1", addresses: [address] }) };
  const callAgain = (...answers: Machine["answers"] & object) => add({ answers, files, links: [0, 7] });

  test("DEL runs first, without a namespace, and ADD asks for the addresses", () => {
    const outcome = callAgain(exits(0), passed);
    expect(runs(outcome)).toEqual(["DEL in no namespace", `ADD ${address}`]);
    expect(recorded(outcome)).toEqual(recordOf({ addresses: [address] }));
  });

  test("host-device's DEL gets the namespace, unless another interface has the name now", () => {
    const call: Call = { calledAs: "host-device-wrapper", stdin: { cniVersion: "1.0.0", name: "zone" } };
    const del = (links: number[]) =>
      runs(callWrapper(call, { answers: [exits(0), passed], files, links: [...links, 0, 7] }))[0];
    expect(del([0])).toBe("DEL");
    expect(del([9])).toBe("DEL in no namespace");
  });

  test("if ADD fails with the addresses, it runs again without them, after another DEL", () => {
    const outcome = callAgain(exits(0), refused, exits(0), passed);
    expect(outcome.exitCode).toBe(0);
    expect(runs(outcome)).toEqual(["DEL in no namespace", `ADD ${address}`, "DEL", "ADD"]);
  });

  test("the addresses stay in the record until an ADD has passed", () => {
    const first = add({ answers: [exits(0), refused], files, links: [0] });
    expect(first.exitCode).toBe(1);
    expect(recorded(first)).toEqual(recordOf({ made: 0, addresses: [address], outlived: true }));
    const second = add({ answers: [passed], files: first.files, links: [0, 7] });
    expect(runs(second)).toEqual([`ADD ${address}`]);
    expect(recorded(second)).toEqual(recordOf({ addresses: [address] }));
  });

  test("the record has this boot while ADD runs, and keeps the addresses", () => {
    const outcome = callAgain(exits(0), { ended: "signal", signal: "SIGKILL" });
    const { made: _, ...expected } = recordOf({ addresses: [address], outlived: true });
    expect(recorded(outcome)).toEqual(expected);
  });

  test("the record has this boot even if another interface has the name", () => {
    const outcome = add({ answers: [exits(0), { ended: "signal", signal: "SIGKILL" }], files, links: [9] });
    const { made: _, ...expected } = recordOf({ before: 9, addresses: [address], outlived: true });
    expect(recorded(outcome)).toEqual(expected);
  });

  test("DEL runs in the record's network, if the plugin is the same", () => {
    const network = (changes: Partial<AttachmentRecord>) => {
      const record = text({ bootId: "before", namespace: "4:1", delegateNetwork: "disc", ...changes });
      return add({ answers: [exits(0), passed], files: { [file]: record }, links: [0, 7] }).runs[0]?.stdin;
    };
    expect(network({})).toMatchObject({ name: "disc", ipam: { type: "host-local" } });
    expect(network({ delegate: "macvlan" })).toMatchObject({ name: "zone" });
  });

  test("an interface that something else made since is left alone", () => {
    const outcome = add({ answers: [exits(0), refused], files, links: [9, 9] });
    expect(runs(outcome)).toEqual(["DEL in no namespace", `ADD ${address}`]);
  });
});

describe("a line in the log", () => {
  const lines = (outcome: ReturnType<typeof add>) => outcome.log.map(({ line }) => JSON.parse(line));

  test("reports that ADD runs again, and the first answer", () => {
    const outcome = add(
      { answers: [refused, exits(0), passed], files: { [file]: text() }, links: [7, 7, 0, 8] },
      { log },
    );
    const message = "ADD failed after an earlier try: running DEL and ADD once more";
    expect(lines(outcome)).toContainEqual(expect.objectContaining({ level: "warn", message }));
    expect(lines(outcome)).toContainEqual(expect.objectContaining({ message: "delegate failed ADD: no", code: 999 }));
  });

  test("reports the cleanup after an earlier boot", () => {
    const files = { [file]: text({ bootId: "before" }) };
    const outcome = add({ answers: [exits(0), passed], files, links: [0, 7] }, { log });
    expect(lines(outcome)).toContainEqual(
      expect.objectContaining({ level: "warn", message: "attached before this boot: running DEL first" }),
    );
  });

  test("the cleanup after an earlier boot keeps leases that another live attachment of the container has", () => {
    const files = {
      [`${directory}/zone:blue:eth0:eth1`]: text({ ifName: "eth1", bootId: "before", made: 0 }),
      [`${directory}/zone:blue:net1:eth1`]: text({ ifName: "eth1", runtimeIfName: "net1" }),
    };
    expect(runs(add({ answers: [refused], files, links: [7] }, { ifName: "eth1" }))).toEqual(["ADD"]);
    const gone = { ...files, [`${directory}/zone:blue:net1:eth1`]: text({ ifName: "eth1", bootId: "before" }) };
    const outcome = add({ answers: [exits(0), refused], files: gone, links: [7] }, { ifName: "eth1" });
    expect(runs(outcome)).toEqual(["DEL in no namespace", "ADD"]);
    const disc = { ifName: "eth1", delegateNetwork: "disc" };
    const inDisc = {
      [`${directory}/zone:blue:eth0:eth1`]: text({ ...disc, bootId: "before", made: 0 }),
      [`${directory}/zone:blue:net1:eth1`]: text({ ...disc, runtimeIfName: "net1" }),
    };
    expect(runs(add({ answers: [refused], files: inDisc, links: [7] }, { ifName: "eth1" }))).toEqual(["ADD"]);
  });

  test("reports that a meta plugin's earlier try is undone", () => {
    const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: bothResult, wrapper: { log } };
    const call: Call = { calledAs: "/opt/cni/bin/portmap-wrapper", stdin };
    const answers = [exits(0, macvlanResult)];
    const outcome = callWrapper(call, { answers, files: callWrapper(call, { answers }).files });
    expect(lines(outcome)).toContainEqual(
      expect.objectContaining({ level: "warn", message: "an earlier try was not completed: running DEL before ADD" }),
    );
  });

  test("does not report a missing namespace: the delegate does", () => {
    const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { log } };
    const outcome = callWrapper({ stdin, env: { CNI_NETNS: "" } }, { answers: [passed] });
    expect(outcome.exitCode).toBe(1);
    const gone = callWrapper(
      { stdin, env: { CNI_NETNS: "/run/netns/gone" } },
      { answers: [passed], noNamespace: true },
    );
    expect(gone).toMatchObject({ exitCode: 0, log: [] });
    expect(gone.files).toEqual({});
  });

  test("reports that the record cannot be written, and ADD goes on", () => {
    const outcome = add({ answers: [passed], writeProblem: "ENOSPC" }, { log });
    expect(outcome.exitCode).toBe(0);
    expect(lines(outcome)).toContainEqual(
      expect.objectContaining({ level: "warn", message: "recovery is off: cannot write the record: ENOSPC" }),
    );
  });

  test("reports that the boot id cannot be read", () => {
    const outcome = add({ answers: [passed], files: { [bootFile]: "" } }, { log });
    expect(lines(outcome)).toContainEqual(
      expect.objectContaining({ level: "warn", message: "recovery is off: cannot read the boot id" }),
    );
    expect(outcome.files).not.toHaveProperty([file]);
  });
});

describe("a meta plugin", () => {
  const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: bothResult };
  const call: Call = { calledAs: "/opt/cni/bin/portmap-wrapper", stdin };
  const answers = [exits(0, macvlanResult)];
  const first = callWrapper(call, { answers });
  const [path = ""] = Object.keys(first.files);

  test("leaves a record with what it got", () => {
    expect(runs(first)).toEqual(["ADD"]);
    const configuration = first.runs[0]?.stdin as JsonObject;
    const { before: _before, made: _made, ...expected } = recordOf({ delegate: "portmap", configuration });
    expect(recorded(first, path)).toEqual(expected);
  });

  test("undoes an earlier try before ADD, if it was in this namespace and not completed", () => {
    expect(runs(callWrapper(call, { answers, files: first.files }))).toEqual(["DEL", "ADD"]);
    expect(runs(callWrapper(call, { answers, files: { ...first.files, [cache]: "{}" } }))).toEqual(["ADD"]);
    const elsewhere = { [path]: text({ delegate: "portmap", namespace: "4:1" }) };
    expect(runs(callWrapper(call, { answers, files: elsewhere }))).toEqual(["ADD"]);
    const never = { ...call, stdin: { ...stdin, wrapper: { recover: "never" } } };
    expect(runs(callWrapper(never, { answers, files: first.files }))).toEqual(["ADD"]);
  });

  test("the record keeps the addresses of earlier ADDs in this boot: their rules may still be there", () => {
    const configuration = { prevResult: { ips: [{ address: "172.16.5.7/24" }, { address: "172.16.5.8/24" }] } };
    const earlier = { delegate: "portmap", namespace: "4:1", addresses: ["172.16.5.6/24", "172.16.5.7/24"] };
    const kept = (record: Partial<AttachmentRecord>) =>
      recorded(callWrapper(call, { answers, files: { [path]: text({ ...earlier, ...record }) } }), path)?.addresses;
    expect(kept({ configuration })).toEqual(["172.16.5.6/24", "172.16.5.7/24", "172.16.5.8/24"]);
    expect(kept({})).toEqual(earlier.addresses);
    expect(kept({ configuration, bootId: "before" })).toEqual([]);
  });

  test("runs without a record if the boot id is unknown", () => {
    const outcome = callWrapper(call, { answers, files: { [bootFile]: "" } });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.files).toEqual({});
    expect(runs(outcome)).toEqual(["ADD"]);
  });

  test("the record is deleted if the wrapper fails and DEL passes", () => {
    expect(callWrapper(call, { answers: [exits(0, "no JSON"), exits(0)] }).files).toEqual({});
  });
});

describe("a meta plugin that adds an interface", () => {
  const prevResult = { cniVersion: "1.0.0", interfaces: [eth("eth0"), eth("eth1")] };
  const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" } };
  const call: Call = { calledAs: "/opt/cni/bin/own-wrapper", stdin: { ...stdin, prevResult } };
  const answers = [exits(0, { cniVersion: "1.0.0", interfaces: [eth("eth1"), eth("tap0")] })];
  const first = callWrapper(call, { answers });
  const [path = ""] = Object.keys(first.files);
  const shown = ({ runs: all }: ReturnType<typeof add>) =>
    all.map(({ env, stdin: given }) => {
      const { interfaces } = (given as { prevResult: { interfaces: { name: string }[] } }).prevResult;
      return `${env.CNI_COMMAND} ${interfaces.map(({ name }) => name)}`;
    });

  function eth(name: string) {
    return { name, sandbox: blue };
  }

  test("its record names the interface", () => {
    expect(shown(first)).toEqual(["ADD eth1"]);
    expect(recorded(first, path)).toMatchObject({ delegate: "own", added: [eth("tap0")] });
    expect(printed(first).interfaces).toEqual([eth("eth0"), eth("eth1"), eth("tap0")]);
  });

  test("another try's DEL gets it", () => {
    const outcome = callWrapper(call, { answers, files: first.files });
    expect(shown(outcome)).toEqual(["DEL eth1,tap0", "ADD eth1"]);
    expect(recorded(outcome, path)).toMatchObject({ added: [eth("tap0")] });
  });

  test.each(["CHECK", "DEL"])("%s gets it, and no other attachment", (verb) => {
    const later = { ...stdin, prevResult: printed(first) };
    const files = { ...first.files, [cache]: "{}" };
    const env = { CNI_COMMAND: verb };
    expect(shown(callWrapper({ ...call, env, stdin: later }, { files }))).toEqual([`${verb} eth1,tap0`]);
    const edited = { ...later, mtu: 1400 };
    expect(shown(callWrapper({ ...call, env, stdin: edited }, { files }))).toEqual([`${verb} eth1,tap0`]);
    const unrecorded = callWrapper({ ...call, env, stdin: later }, { files: {} });
    expect(shown(unrecorded)).toEqual([`${verb} eth1`]);
    const ofFirst = { ...later, wrapper: {} };
    expect(shown(callWrapper({ ...call, env, stdin: ofFirst }, { files }))).toEqual([`${verb} eth0`]);
    const named = { ...call, calledAs: "/opt/cni/bin/portmap-wrapper", env, stdin: later };
    expect(shown(callWrapper(named, { files }))).toEqual([`${verb} eth1`]);
  });

  test("the record is as before if it adds none", () => {
    const outcome = callWrapper(call, { answers: [exits(0, { cniVersion: "1.0.0", interfaces: [eth("eth1")] })] });
    expect(recorded(outcome, path)).not.toHaveProperty("added");
  });

  test('with "never" ADD passes without a record', () => {
    const never = { ...call, stdin: { ...stdin, prevResult, wrapper: { ifName: "eth1", recover: "never" } } };
    const outcome = callWrapper(never, { answers });
    expect([outcome.exitCode, outcome.files]).toEqual([0, {}]);
    expect(printed(outcome).interfaces).toEqual([eth("eth0"), eth("eth1"), eth("tap0")]);
  });

  test("without a record, ADD still passes", () => {
    const outcome = callWrapper(call, { answers, files: { [bootFile]: "" } });
    expect([outcome.exitCode, outcome.files]).toEqual([0, {}]);
  });
});

describe("DEL", () => {
  const del = (machine: Machine, wrapper: JsonObject = {}) =>
    callWrapper({ env: { CNI_COMMAND: "DEL" }, stdin: { cniVersion: "1.0.0", name: "zone", wrapper } }, machine);
  const others = { [`${directory}/zone:blue:net1:eth0`]: text({ runtimeIfName: "net1" }) };

  test("the record is deleted once DEL has passed, and no other", () => {
    expect(del({ files: { ...others, [file]: text() } }).files).toEqual(others);
  });

  test("an unreadable record is deleted, too", () => {
    expect(del({ files: { [file]: "{" } }).files).toEqual({});
  });

  test("the record stays if DEL fails", () => {
    const outcome = del({ answers: [exits(2, "{}")], files: { [file]: text() } });
    expect(outcome).toMatchObject({ exitCode: 2, stdout: "{}", files: { [file]: text() } });
  });

  test("if one of several fails, that is the answer, and the others still run", () => {
    const outcome = del({ answers: [exits(1), exits(2, "again"), exits(0, "other")] }, { ifName: "eth1" });
    expect(outcome).toMatchObject({ exitCode: 2, stdout: "again" });
    expect(outcome.runs.map(({ stdin }) => (stdin as JsonObject).name)).toEqual(["zone", "zone", "zone-eth1"]);
    expect(del({ answers: [exits(0, "first"), exits(0, "second")] }, { ifName: "eth1" }).stdout).toBe("second");
  });

  test("in the list's own network runs once more if it fails, with a warning, and the second answer counts", () => {
    const renamed = { ifName: "eth1", network: "zone", log };
    const outcome = del({ answers: [exits(1, "busy"), exits(0)] }, renamed);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "", runs: [{}, {}] });
    expect(messages(outcome)).toContain(
      "DEL failed in a network that the list's interfaces share: running it once more",
    );
    expect(del({ answers: [exits(0)] }, renamed).runs).toHaveLength(1);
    expect(del({ answers: [exits(1)] }, { ...renamed, network: "disc" }).runs).toHaveLength(1);
  });

  const failed = { [`${directory}/zone:blue:eth0:eth1`]: text({ ifName: "eth1", made: 0 }) };

  test("of an ADD that made nothing frees its leases, without a namespace", () => {
    const outcome = del({ files: failed }, { ifName: "eth1" });
    expect(outcome.runs).toMatchObject([{ env: { CNI_COMMAND: "DEL", CNI_NETNS: "" } }]);
    expect(outcome.files).toEqual({});
  });

  test("of an ADD that made nothing keeps leases that another attachment of the container has", () => {
    const live = { [`${directory}/zone:blue:net1:eth1`]: text({ ifName: "eth1", runtimeIfName: "net1" }) };
    const outcome = del({ files: { ...failed, ...live } }, { ifName: "eth1" });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [] });
    expect(outcome.files).toEqual(live);
    const elsewhere = {
      [`${directory}/zone:blue:net1:eth1`]: text({ ifName: "eth1", runtimeIfName: "net1", delegateNetwork: "disc" }),
    };
    expect(del({ files: { ...failed, ...elsewhere } }, { ifName: "eth1" }).runs).toHaveLength(1);
  });

  test("of a missing delegate follows the record of another delegate", () => {
    const made = { [`${directory}/zone:blue:eth0:eth1`]: text({ ifName: "eth1" }) };
    const wrapper = { ifName: "eth1", delegate: "brigde" };
    const missing = del(
      { files: made, inspect: (path) => (path.endsWith("/brigde") ? "missing" : "executable") },
      wrapper,
    );
    expect(missing.runs).toMatchObject([{ path: "/opt/cni/bin/bridge", stdin: { name: "zone-eth1" } }]);
    expect(missing.files).toEqual({});
    // It may be a meta plugin, and the creator removes the interface.
    const there = del({ files: made, inspect: () => "executable" }, wrapper);
    expect(there.runs).toMatchObject([{ path: "/opt/cni/bin/brigde", stdin: { name: "zone-eth1" } }]);
    expect(there.files).toEqual(made);
  });

  test("notes what is no longer in the list", () => {
    const made = `${directory}/zone:blue:eth0:eth1`;
    const outcome = del({ files: { [made]: text({ ifName: "eth1" }) } }, { ifName: "eth2", log });
    expect(messages(outcome)).toContain(
      "the record says that bridge made eth1, the list does not: DEL follows the record",
    );
    expect(outcome.files).toEqual({});
  });
});

describe("a lease of an interface of this name in the list's network", () => {
  const ipam = { type: "host-local", subnet: "172.26.64.0/20" };
  const stdin = { cniVersion: "1.0.0", name: "zone", ipam, wrapper: { ifName: "eth1" } };
  const leases = "/var/lib/cni/networks/zone";
  const networks = (files: Record<string, string>) =>
    callWrapper({ stdin }, { answers: [passed], files }).runs.map((run) => (run.stdin as JsonObject).name);

  test("makes ADD use that network, too", () => {
    const others = {
      [`${leases}/lock`]: "",
      [`${leases}/172.16.5.2`]: "c1\r\neth0",
      [`${leases}/last_reserved_ip.0`]: "172.16.5.2",
    };
    expect(networks(others)).toEqual(["zone-eth1"]);
    expect(networks({ ...others, [`${leases}/172.26.64.2`]: "c1\r\neth1" })).toEqual(["zone"]);
  });
});

describe("CHECK of an interface that has no record", () => {
  const check = (answers: Machine["answers"] & object, files = {}) =>
    callWrapper(
      {
        env: { CNI_COMMAND: "CHECK" },
        stdin: { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" }, prevResult: bothResult },
      },
      { answers, files },
    );
  const networks = ({ runs: all }: ReturnType<typeof check>) => all.map(({ stdin }) => (stdin as JsonObject).name);

  test("also runs in the list's network if it fails, and then that answer counts", () => {
    expect(networks(check([exits(0)]))).toEqual(["zone-eth1"]);
    const passes = check([exits(1, "{}"), exits(0)]);
    expect(networks(passes)).toEqual(["zone-eth1", "zone"]);
    expect(passes).toMatchObject({ exitCode: 0, stdout: "" });
    expect(check([exits(1, "first"), exits(2, "second")])).toMatchObject({ exitCode: 2, stdout: "second" });
  });

  test("with a record it is one call, which is handed over", () => {
    const outcome = check([exits(1, "{}")], { [`${directory}/zone:blue:eth0:eth1`]: text({ ifName: "eth1" }) });
    expect(outcome.runs).toMatchObject([{ how: "exec", stdin: { name: "zone-eth1" } }]);
  });
});

describe("GC", () => {
  const env = { CNI_COMMAND: "GC", CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "" };
  const valid = [{ containerID: "red", ifname: "eth0" }];
  const gc = (
    files: Record<string, string>,
    answers: Machine["answers"] & object = [exits(0)],
    list: unknown = valid,
  ) =>
    callWrapper(
      {
        env,
        stdin: {
          cniVersion: "1.1.0",
          name: "zone",
          "cni.dev/valid-attachments": list,
          wrapper: { ifName: "eth2", log },
        },
      },
      { answers, files },
    );
  const gone = { netns: "/run/netns/gone", namespace: "4:1" };
  const at = (changes: Partial<AttachmentRecord>) => {
    const record = recordOf({ ...gone, ...changes });
    return {
      [`${directory}/${[record.network, record.containerId, record.runtimeIfName, record.ifName].join(":")}`]:
        JSON.stringify(record),
    };
  };
  const kept = {
    ...at({ containerId: "red" }),
    ...at({ network: "zone-two" }),
    ...at({ containerId: "pink", delegate: "macvlan" }),
    [`${directory}/zone:broken`]: "{",
  };
  const routes = {
    [`${directory}/zone:blue:eth0::routes`]: JSON.stringify({
      network: "zone",
      containerId: "blue",
      runtimeIfName: "eth0",
    }),
  };

  test("runs DEL for an attachment that is no longer valid, with the name and the network that it had", () => {
    const outcome = gc({ ...kept, ...at({ ifName: "eth1" }), ...routes });
    expect(outcome.runs).toMatchObject([
      {
        how: "spawn",
        env: { CNI_COMMAND: "DEL", CNI_CONTAINERID: "blue", CNI_IFNAME: "eth1", CNI_NETNS: "", CNI_ARGS: "" },
        stdin: { name: "zone-eth1", type: "bridge" },
      },
      { env: { CNI_COMMAND: "GC" }, stdin: { name: "zone-eth2" } },
    ]);
    expect(outcome.runs[0]?.stdin).not.toHaveProperty(["cni.dev/valid-attachments"]);
    expect(outcome.files).toEqual(kept);
  });

  test("leaves an attachment alone if its namespace is still there: it may belong to another runtime", () => {
    const here = recordOf({ netns: "" });
    const files = at({ ...here, netns: "/var/lib/cni/wrappers/namespace", namespace: "1:2" });
    const outcome = gc({ ...files, ...routes, "/var/lib/cni/wrappers/namespace": "" });
    expect(outcome.runs).toHaveLength(1);
    // Without the record of its moved routes its CHECK would fail.
    expect(outcome.files).toMatchObject({ ...files, ...routes });
  });

  test("leaves an attachment to another plugin of the type, which may keep its leases elsewhere", () => {
    const files = at({ ifName: "eth1", listed: "another" });
    expect(gc(files)).toMatchObject({ runs: [{ env: { CNI_COMMAND: "GC" } }], files });
    // It is its own record, although the configuration has changed.
    expect(gc(at({ ifName: "eth2", listed: "another" })).files).toEqual({});
    const listed = listedAs(requestOf("ADD", { wrapper: { ifName: "eth1" } }));
    expect(gc(at({ ifName: "eth1", listed })).files).toEqual({});
  });

  test("a failed DEL does not stop GC, and its record stays", () => {
    for (const answer of [exits(1), { ended: "signal", signal: "SIGKILL" } as const]) {
      const outcome = gc(at({}), [answer, exits(0)]);
      expect(outcome).toMatchObject({ exitCode: 0, files: at({}) });
      expect(outcome.runs).toHaveLength(2);
    }
  });

  test("removes nothing if GC does not list valid attachments", () => {
    expect(gc({ ...at({}), ...routes }, [exits(0)], null).files).toEqual({ ...at({}), ...routes });
  });
});
