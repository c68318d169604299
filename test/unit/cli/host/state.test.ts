import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readState } from "../../../../cli/host/memory.ts";
import { scratch } from "../../../support/scratch.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { asRead, entryOf } from "../../support/journals.ts";

const directory = scratch();

test("the entries of creators, and leases", () => {
  const made = { containerId: "c1", ifName: "eth1" };
  makeHostFolders(directory, {
    entries: [made, { ...made, type: "sbr", role: "meta" }, { ...made, containerId: "c2", isUndone: true }],
    leases: { "zone/172.16.5.2": ["c1", "eth0"], "zone-eth1/fd00:5::2": ["c1", "eth1"] },
  });
  // host-local's own files, a lease of an old version, a record of 0.2.0, and a journal of a newer format.
  writeFileSync(join(directory, "state/networks/zone/last_reserved_ip.0"), "172.16.5.2");
  writeFileSync(join(directory, "state/networks/zone/lock"), "");
  writeFileSync(join(directory, "state/networks/zone/172.16.5.3"), "c9");
  writeFileSync(join(directory, "state/wrappers/zone:c1:eth0:eth1"), "{}");
  const key = { network: "other", containerId: "c1", runtimeIfName: "eth0" };
  writeFileSync(
    join(directory, "state/wrappers/c1/other:eth0"),
    `{"line":"began","format":2,${JSON.stringify(key).slice(1)}\n`,
  );
  const { entries, leases, unreadable } = readState("state", directory);
  expect(unreadable).toEqual(["state/wrappers/c1/other:eth0: a newer version has written it"]);
  expect(entries).toEqual([asRead(entryOf(made))]);
  expect(leases).toEqual([
    { network: "zone", address: "172.16.5.2", containerId: "c1", ifName: "eth0" },
    { network: "zone", address: "172.16.5.3", containerId: "c9", ifName: "" },
    { network: "zone-eth1", address: "fd00:5::2", containerId: "c1", ifName: "eth1" },
  ]);
});
