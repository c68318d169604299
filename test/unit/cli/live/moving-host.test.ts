import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/protocol/json.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { makeHostFolders } from "../../support/fake-host-folders.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";

const directory = scratch();
const state = join(directory, "state");
const journal = join(state, "wrappers/c1/zone:eth0");
const live = { netns: "/proc/self/ns/net" };
let waits: number[];
beforeEach(() => {
  for (const name of ["config", "netns", "state"]) mkdirSync(join(directory, name));
  redirect("/var/lib/cni", state);
  waits = [];
  redirect("/run/netns", join(directory, "netns"));
});

/** What is bad in the answer of a command, if something happens on the host after the first look. */
async function badIn(command: string, happens: () => unknown): Promise<readonly string[]> {
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds);
    happens();
  };
  const words = [command, "--json", "--cni-path", directory, "--config-dir", join(directory, "config")];
  const { networks = [], attachments = [], strays, orphans } = JSON.parse((await runCommand(words, { wait })).stdout);
  const counts = networks.flatMap((one: JsonObject) => ["failing", "gone"].filter((is) => one[is] === 1));
  const verdicts = attachments.map(({ verdict }: { verdict: JsonObject }) =>
    String(verdict.is).replace("fails", "failing"),
  );
  const journals: number = strays?.journals.length ?? orphans.journals;
  return [...counts, ...verdicts, ...Array(journals).fill("journal")];
}

describe.each(["preflight", "status"])("%s looks again after a second", (command) => {
  test.each<[string, { netns: string }, string, () => unknown, boolean?]>([
    ["its CHECK fails", live, "failing", () => {}],
    ["a DEL was running", live, "failing", () => rmSync(join(state, "results/zone-c1-eth0")), true],
    ["another ADD has its name", live, "failing", () => writeResult(state, { netns: "/proc/1/ns/net" }), true],
    ["its namespace is gone", { netns: "/gone" }, "gone", () => {}],
    ["a DEL was at its end", { netns: "/gone" }, "gone", () => rmSync(join(state, "results/zone-c1-eth0")), true],
  ])("%s", async (_, result, is, happens, isOver = false) => {
    writeResult(state, result);
    expect(await badIn(command, happens)).toEqual(isOver ? [] : [is]);
    expect(waits).toEqual([1000]);
  });

  test.each<[string, () => unknown, boolean?]>([
    ["a journal has no result", () => {}],
    ["an ADD ended", () => writeResult(state, live), true],
    ["an ADD goes on", () => appendFileSync(journal, "{}\n"), true],
    ["an ADD failed, and is undone", () => rmSync(journal), true],
  ])("%s", async (_, happens, isOver = false) => {
    makeHostFolders(directory, { entries: [{ containerId: "c1" }] });
    expect(await badIn(command, happens)).toEqual(isOver ? [] : ["journal"]);
    expect(waits).toEqual([1000]);
  });

  test("only if something is wrong", async () => {
    const list = { cniVersion: "1.0.0", name: "zone", disableCheck: true, plugins: [{ type: "bridge" }] };
    writeFile(join(directory, "config/zone.conflist"), list);
    writeResult(state, live);
    await badIn(command, () => {});
    expect(waits).toEqual([]);
  });
});

test("preflight does not name the namespace of a container that has just begun", async () => {
  const named = (name: string) => join(directory, "netns", name);
  for (const name of ["c1", "c2", "c3"]) symlinkSync("/proc/self/ns/net", named(name));
  const wait = async () => {
    renameSync(named("c3"), named("c4"));
    writeResult(state, { netns: "/run/netns/c1" });
  };
  const { stdout } = await runCommand(["preflight", "--json", "--cni-path", directory], { wait });
  expect(JSON.parse(stdout).strays.namespaces).toEqual(["/run/netns/c2"]);
});
