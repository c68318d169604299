import { describe, expect, test } from "vitest";
import { ListRun, NotKnown } from "../../../../cli/explain/list-run.ts";
import { exampleAttachment, exampleSource } from "../../../../cli/explain/model-answers.ts";
import { Machine } from "../../../../cli/model/machine.ts";
import { parsedList } from "./support.ts";

const tap = { type: "tap" };

/** A list on a host with the container c1. */
function running(plugins: readonly object[], more: object = {}, jq?: () => { output: string }) {
  const list = parsedList({ cniVersion: "1.0.0", name: "zone", plugins, ...more });
  const machine = new Machine();
  machine.addNamespace("/run/netns/c1");
  return { machine, run: new ListRun(list, machine, exampleSource(exampleAttachment(list), jq, machine)) };
}

describe("the result that libcni keeps, which wrappers read", () => {
  const file = "/var/lib/cni/results/zone-c1-net1";

  test("is there from ADD to DEL", () => {
    const { machine, run } = running([tap]);
    expect(run.add("c1", { ifName: "net1" })).toBeUndefined();
    const { text = "", by } = machine.files.get(file) ?? {};
    expect(JSON.parse(text)).toEqual({
      kind: "cniCacheV1",
      containerId: "c1",
      ifName: "net1",
      networkName: "zone",
      netns: "/run/netns/c1",
      result: {
        cniVersion: "1.0.0",
        interfaces: [{ name: "net1", mac: expect.any(String), sandbox: "/run/netns/c1" }],
      },
    });
    expect(by).toEqual(new Map());
    expect(run.del("c1", { ifName: "net1" })).toBeUndefined();
    expect([...machine.files]).toEqual([]);
  });

  test("stays if DEL fails, which comes again with it", () => {
    const { machine, run } = running([tap, { type: "sbr" }]);
    machine.removeNamespace("/run/netns/c1");
    machine.files.set(file, { text: "{}", inode: 1, modifiedMs: 0, by: new Map() });
    expect(run.del("c1", { ifName: "net1" })).toEqual({
      plugin: 1,
      type: "sbr",
      message: "open /run/netns/c1: no such file or directory",
    });
    expect([...machine.files.keys()]).toEqual([file]);
  });

  test("is none of an ADD that failed", () => {
    const { machine, run } = running([tap, { type: "a/b" }]);
    expect(run.add("c1")).toEqual({ plugin: 1, type: "a/b", message: "invalid plugin name: a/b" });
    expect(run.add("c1", { failsAtLast: true })).toEqual({ message: "fails once" });
    expect([...machine.files]).toEqual([]);
  });
});

test("DEL of a second attachment gets its own result, so firewall keeps the rules of the first one", () => {
  const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
  const { machine, run } = running([{ type: "bridge", bridge: "br0", ipam }, { type: "firewall" }]);
  const rules = () => machine.things().flatMap(({ what }) => /CNI-FORWARD -s ([^/ ]+)/.exec(what)?.[1] ?? []);
  expect([run.add("c1"), run.add("c1", { ifName: "net1" })]).toEqual([undefined, undefined]);
  expect(rules()).toEqual(["10.1.0.2", "10.1.0.3"]);
  expect(run.del("c1", { ifName: "net1" })).toBeUndefined();
  expect(rules()).toEqual(["10.1.0.2"]);
});

test("a jq program is run where there is jq", () => {
  const plugins = [{ type: "tap-wrapper", wrapper: { jq: "." } }];
  expect(
    running(plugins, {}, () => ({ output: '{"cniVersion":"1.0.0","name":"zone","type":"tap"}' })).run.add("c1"),
  ).toBe(undefined);
  expect(() => running(plugins).run.add("c1")).toThrow(NotKnown);
});

test("of version 0.2.0, only ADD of a second plugin is not known", () => {
  const { run } = running(
    [{ ...tap, ipam: { type: "static", addresses: [{ address: "10.1.0.2/24" }] } }, { type: "loopback" }],
    {
      cniVersion: "0.2.0",
    },
  );
  expect(() => run.add("c1")).toThrow(new NotKnown(1, "lists of version 0.2.0 are unknown"));
  expect(run.del("c1")).toBeUndefined();
});
