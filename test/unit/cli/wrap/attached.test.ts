import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { olderAttachments as olderOf } from "../../../../cli/wrap/attached.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { entryOf, journalFiles } from "../../support/journals.ts";
import { writeFile } from "../../support/written.ts";
import { parsedList } from "../explain/support.ts";

const state = scratch();

const put = (name: string, text: string) => writeFile(path.join(state, name), text);

const leftOut: string[] = [];
beforeEach(() => void leftOut.splice(0));

function olderAttachments(ipam: object = {}, directory = state) {
  const plugins = [{ type: "macvlan" }, { type: "bridge", ipam: { type: "host-local", ...ipam } }];
  return olderOf(parsedList({ cniVersion: "1.0.0", name: "zone", plugins }), directory, (line) => leftOut.push(line));
}

/** A cached result as libcni writes it, with these container interfaces and a bridge on the host. */
function putResult(containerId: string, interfaces: readonly string[], more: object = {}): void {
  const listed = [{ name: "disc0" }, ...interfaces.map((name) => ({ name, sandbox: `/run/netns/${containerId}` }))];
  const result = { cniVersion: "1.0.0", interfaces: listed };
  writeResult(state, { containerId, result, ...more });
}

/** A lease as host-local writes it. */
function putLease(directory: string, address: string, containerId: string, ifName: string): void {
  put(`${directory}/${address}`, `${containerId}\r\n${ifName}`);
}

test("finds the interfaces and leases of a script's containers", () => {
  putResult("c1", ["lo", "eth0", "eth1"]);
  putLease("networks/zone", "172.16.5.2", "c1", "eth0");
  putLease("networks/zone", "172.26.64.2", "c1", "eth1");
  put("networks/zone/last_reserved_ip.0", "172.26.64.2");
  putResult("c2", ["eth0", "net1", "net2"]);
  putLease("networks/zone", "fd00::2", "c2", "net2");
  putLease("networks/zone-net1", "172.26.64.3", "c2", "net1");
  putLease("networks/zone", "172.26.64.4", "c3", "net1");
  expect(olderAttachments()).toEqual([
    { containerId: "c1", interfaces: ["eth0", "eth1"], leased: ["eth1"] },
    { containerId: "c2", interfaces: ["eth0", "net1", "net2"], leased: ["net2"] },
  ]);
});

test("looks for leases where the list keeps them", () => {
  putResult("c1", ["eth0", "eth1"]);
  putLease("run/zone", "172.26.64.2", "c1", "eth1");
  const found = (ipam: object) => olderAttachments(ipam)[0]?.leased;
  expect(found({})).toEqual([]);
  expect(found({ dataDir: path.join(state, "run") })).toEqual(["eth1"]);
  expect(found({ DATADIR: path.join(state, "run/") })).toEqual(["eth1"]);
});

test("leaves out a wrapper's attachments, other networks and single interfaces, and names what is no result", () => {
  putResult("c1", ["eth0", "eth1"]);
  const made = entryOf({ containerId: "c1", ifName: "eth1" });
  for (const [file, text] of Object.entries(journalFiles(made))) put(file.replace("/var/lib/cni/", ""), text);
  putResult("c2", ["eth0", "eth1"], { networkName: "other" });
  putResult("c3", ["eth0"]);
  putResult("c4", ["eth0", "eth1"], { result: null });
  put("results/zone-c5-eth0", "not JSON");
  mkdirSync(path.join(state, "results/directory"));
  expect(olderAttachments()).toEqual([]);
  expect(leftOut).toEqual([`${state}/results/zone-c5-eth0: it is not a JSON object; this attachment is left out`]);
});

test("a state directory without results, which somebody named, is trouble", () => {
  expect(() => olderAttachments({}, path.join(state, "none"))).toThrow("none/results: there is no such file");
});

test("a directory that cannot be read is trouble", () => {
  symlinkSync("results", path.join(state, "results"));
  expect(() => olderAttachments()).toThrow(/results: its symbolic links form a circle$/);
});
