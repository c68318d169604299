import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Lab } from "../support/lab.ts";
import { expectFailure, expectSound, expectSuccess } from "./calls.ts";
import { bridge, macvlan, wrapped, zone } from "./support.ts";

/** The runtime's deadline comes when the plugin `slow` sleeps: it then writes this file. */
const deadline = "/run/lab/slow";
const gaveUp = /signal: killed|context canceled/;

describe.each([
  ["plain", { ...bridge, type: "slow" }],
  ["wrapped", { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1", delegate: "slow", role: "creator" } }],
])("a plugin that sleeps, %s, and a runtime with a deadline", (_, slow) => {
  test("ADD ends at the deadline, and nothing of it keeps running", async () => {
    await using lab = await startLab();
    const container = await lab.addContainer("c1");
    const outcome = await lab.goCni.add(zone(wrapped(macvlan), slow), container, { deadline });
    expectFailure(outcome, gaveUp);
    await expect.poll(() => whatIsLeft(lab)).toEqual({ lastWord: "sleeping", isRunning: false });
  });
});

test("after that, the next ADD passes, and DEL leaves nothing", async () => {
  await using lab = await startLab();
  const container = await lab.addContainer("c1");
  const slow = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1", delegate: "slow", role: "creator" } };
  const list = zone(wrapped(macvlan), slow);
  expectFailure(await lab.goCni.add(list, container, { deadline }), gaveUp);
  await lab.writeFile("/run/lab/awake", "");
  expectSuccess(await lab.goCni.add(list, container));
  await expectSound(lab, list, container, ["disc0"]);
});

/** A lab with `slow`. The plugin is not written now: if a file may be open for writing, the Node flavor starts it without setpriv. */
async function startLab(): Promise<Lab> {
  const programs = { slow: path.join(import.meta.dirname, "slow") };
  const lab = await Lab.start({ programs });
  await symlink("/run/lab/programs/slow", lab.path("/opt/cni/bin/slow"));
  return lab;
}

/** The plugin's last words, and whether its process still runs after the runtime gave up. */
async function whatIsLeft(lab: Lab): Promise<{ lastWord: string | undefined; isRunning: boolean }> {
  const [pid, lastWord] = (await lab.readFile(deadline)).trim().split(" ");
  const { stdout } = await lab.call("cat", [`/proc/${pid}/status`]);
  return { lastWord, isRunning: stdout !== "" && !/^State:\s+[ZX]/m.test(stdout) };
}
