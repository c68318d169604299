import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Memory } from "../../../../cli/host/memory.ts";
import type { PathState } from "../../../../cli/live/namespaces.ts";
import { findingsIn } from "../../../../cli/prune/findings.ts";
import { remove } from "../../../../cli/prune/prune.ts";
import { surveyOf } from "../../../../cli/prune/survey.ts";
import { scratch } from "../../../support/scratch.ts";
import { entryOf } from "../../support/journals.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";
import { parsedList } from "../explain/support.ts";
import { rememberedOf, resultOf } from "./support.ts";

const directory = scratch();
beforeEach(() => {
  for (const name of ["results", "adopted"]) mkdirSync(join(directory, name));
});

const at = (name: string) => join(directory, name);
const zone = parsedList({ name: "zone", plugins: [{ type: "bridge-wrapper", wrapper: { ifName: "eth1" } }] });

async function survey(state: PathState = "gone", leaveOut: (file: string, reason: string) => void = () => {}) {
  const places = { cacheDirectory: directory, lists: [zone] };
  return surveyOf(places, { namespaces: [], pathState: () => state }, leaveOut);
}

async function findings(state?: PathState) {
  return findingsIn(await survey(state)).filter(({ thing }) => thing.kind === "backup");
}

function backUp(before = resultOf("c1", "10.1.0.2").text): void {
  writeFile(at("adopted/zone-c1-eth0"), { before, after: "{}", records: [] });
}

test("the backup of a result that DEL removed goes with its container", async () => {
  backUp();
  const [finding, ...others] = await findings();
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ network: "zone", containerId: "c1", why: undefined });
  expect(finding && (await remove(finding, at("results"), () => false))).toBeUndefined();
  expect(existsSync(at("adopted/zone-c1-eth0"))).toBe(false);
});

test("it stays while the namespace is there", async () => {
  backUp();
  expect((await findings("live")).map(({ why }) => why)).toEqual(["/run/netns/c1 is still there"]);
});

test("it is the live container's if that has a result again", async () => {
  backUp();
  writeFileSync(at("results/zone-c1-eth0"), resultOf("c1", "10.1.0.2").text);
  expect(await findings("live")).toEqual([]);
});

test("a backup that names nobody is left alone, and named", async () => {
  backUp("{}");
  const named: string[] = [];
  const { things, unreadable } = await survey("gone", (...what) => named.push(what.join(": ")));
  expect(things.filter(({ kind }) => kind === "backup")).toEqual([]);
  expect(named).toEqual([`${at("adopted/zone-c1-eth0")}: it is no backup of adopt`]);
  expect(unreadable).toEqual([at("adopted/zone-c1-eth0")]);
});

test("a list is known by its own name, and by those of its renamed interfaces", async () => {
  expect(Object.fromEntries((await survey()).networks)).toEqual({ zone: "zone", "zone-eth1": "zone" });
});

test("a namespace that only a journal of this boot tells may be its attachment's", async () => {
  redirect("/var/lib/cni", directory);
  const namespace = { path: "/none", device: 4, inode: 5 };
  const stateOf = async (bootId: string | undefined) => {
    const { text } = rememberedOf(entryOf({ containerId: "c1", namespace, bootId: String(bootId) }));
    writeFile(at("wrappers/c1/zone:eth0"), text);
    const namespaces = [{ inode: 5, paths: ["/proc/7/ns/net"], links: [] }];
    const places = { cacheDirectory: directory, lists: [] };
    const { states } = await surveyOf(places, { namespaces, pathState: () => "gone" }, () => {});
    return [...states.values()];
  };
  expect(await stateOf(new Memory().moment()?.bootId)).toEqual([
    { is: "unknown", why: "its namespace lives on: /proc/7/ns/net" },
  ]);
  expect(await stateOf("earlier")).toEqual([{ is: "gone" }]);
});
