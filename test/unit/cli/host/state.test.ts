import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readState } from "../../../../cli/host/read-state.ts";
import type { AttachmentRecord } from "../../../../shared/record/record.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const record: AttachmentRecord = {
  network: "zone",
  containerId: "c1",
  runtimeIfName: "eth0",
  ifName: "eth1",
  bootId: "b",
  namespace: "4:1",
  netns: "/run/netns/c1",
  delegate: "bridge",
  delegateNetwork: "zone-eth1",
  addresses: [],
};

test("records and leases", () => {
  makeHostFolders(directory, {
    records: [record],
    leases: { "zone/172.16.5.2": ["c1", "eth0"], "zone-eth1/fd00:5::2": ["c1", "eth1"] },
  });
  // host-local's own files, a lease of an old version, and a record of a meta plugin.
  writeFileSync(join(directory, "state/networks/zone/last_reserved_ip.0"), "172.16.5.2");
  writeFileSync(join(directory, "state/networks/zone/lock"), "");
  writeFileSync(join(directory, "state/networks/zone/172.16.5.3"), "c9");
  writeFileSync(join(directory, "state/wrappers/zone:c1:eth0:eth1:routes"), "{}");
  expect(readState("state", directory)).toEqual({
    records: [record],
    leases: [
      { network: "zone", address: "172.16.5.2", containerId: "c1", ifName: "eth0" },
      { network: "zone-eth1", address: "fd00:5::2", containerId: "c1", ifName: "eth1" },
    ],
  });
});

test("a directory without records is empty, and a missing one is trouble", () => {
  makeHostFolders(directory, {});
  expect(readState("state", directory)).toEqual({ records: [], leases: [] });
  expect(() => readState("none", directory)).toThrow("none: there is no such file");
});
