import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Memory, readState } from "../../../../cli/host/memory.ts";
import { scratch } from "../../../support/scratch.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { asRead, entryOf, journalFiles } from "../../support/journals.ts";
import { writeFile } from "../../support/written.ts";

const state = scratch();

const put = (name: string, text: string) => writeFile(join(state, "wrappers", name), text);

function filesOf(): { readonly found: readonly unknown[]; readonly leftOut: readonly string[] } {
  const leftOut: string[] = [];
  const files = new Memory(state).files((file, reason) => leftOut.push(`${file}: ${reason}`));
  return {
    found: files.map(({ file, network, containerId, journal }) => [file, network, containerId, journal?.problem]),
    leftOut,
  };
}

const key = '"network":"zone","containerId":"c1","runtimeIfName":"eth0"';

test("a journal", () => {
  const [text = ""] = Object.values(journalFiles(entryOf({ containerId: "c1" })));
  put("c1/zone:eth0", text);
  expect(new Memory(state).files()).toMatchObject([{ text, journal: { entries: [{ ifName: "eth0" }] } }]);
  expect(filesOf()).toEqual({ found: [["/var/lib/cni/wrappers/c1/zone:eth0", "zone", "c1", undefined]], leftOut: [] });
});

test.each([
  ["is no journal", "c1/zone:eth0", "no JSON\n"],
  ["says that it is another one", "c2/zone:eth0", `{"line":"began","format":1,${key}}\n`],
])("a file that %s is left out, by name", (_, name, text) => {
  put(name, text);
  expect(filesOf()).toEqual({ found: [], leftOut: [`/var/lib/cni/wrappers/${name}: it does not say whose it is`] });
});

test.each([
  ["a directory", (file: string) => mkdirSync(file)],
  ["a pipe", (file: string) => spawnSync("mkfifo", [file])],
  ["a link that leads nowhere", (file: string) => symlinkSync("nowhere", file)],
])("%s is left out, by name, and nothing waits for it", (_, make) => {
  put("c1/zone:eth0", "");
  make(join(state, "wrappers/c1/other:eth0"));
  expect(filesOf()).toEqual({ found: [], leftOut: ["/var/lib/cni/wrappers/c1/other:eth0: it cannot be read"] });
});

test("a file in place of the directory is no empty one, and another file in it is nobody's", () => {
  put("c1", "");
  expect(filesOf()).toEqual({ found: [], leftOut: [] });
  rmSync(join(state, "wrappers"), { recursive: true });
  writeFileSync(join(state, "wrappers"), "");
  expect(filesOf).toThrow(/wrappers: a part of the path is not a directory$/);
});

test("records of 0.2.0, also unfinished ones and those of routes", () => {
  const names = [".zone:c2:eth0:eth1", "my.zone:c1:eth1:eth1", "zone:c3:eth0::routes"];
  for (const name of names) put(name, `{"of":"${name}"}`);
  const [unfinished, record, routes] = names.map((name) => {
    return { file: `/var/lib/cni/wrappers/${name}`, text: `{"of":"${name}"}`, journal: undefined };
  });
  expect(new Memory(state).files()).toEqual([
    { ...unfinished, network: "zone", containerId: "c2", runtimeIfName: "eth0" },
    { ...record, network: "my.zone", containerId: "c1", runtimeIfName: "eth1" },
    { ...routes, network: "zone", containerId: "c3", runtimeIfName: "eth0" },
  ]);
});

test.each(["zone:c1:eth0", ":c1:eth0:eth1", "zone::eth0:eth1", "zone:c1::eth1"])(
  "%s is no name of a record",
  (name) => {
    put(name, "{}");
    expect(filesOf()).toEqual({ found: [], leftOut: [] });
  },
);

test("which containers it knows", () => {
  put("c1/zone:eth0", "");
  put("zone:c2:eth0:eth1", "{}");
  const memory = new Memory(state);
  expect(["c1", "c2", "c3", "c"].map((id) => memory.knows(id))).toEqual([true, true, false, false]);
});

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
