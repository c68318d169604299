import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Lab } from "../support/lab.ts";
import { bridge, expectFailure, expectNothingLeft, expectSuccess, macvlan, wrapped, zone } from "./support.ts";

/** The deadline of the runtime: too short for the plugin below, long enough for a wrapper to start it. In milliseconds. */
const timeout = 3000;

describe.each([
  ["plain", { ...bridge, type: "slow" }],
  ["wrapped", { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1", delegate: "slow", role: "creator" } }],
])("a plugin that sleeps, %s, and a runtime with a deadline", (_, slow) => {
  test("ADD ends at the deadline, and nothing of it keeps running", async () => {
    await using lab = await Lab.start({ plugins: "1.9.1" });
    await installSlow(lab);
    const container = await lab.addContainer("c1");
    const outcome = await lab.goCni.add(zone("1.0.0", wrapped(macvlan), slow), container, { timeout });
    expectFailure(outcome, /signal: killed|deadline exceeded/);
    expect(await whatIsLeft(lab)).toEqual({ lastWord: "sleeping", isRunning: false });
  });
});

test("after that, the next ADD passes, and DEL leaves nothing", async () => {
  await using lab = await Lab.start({ plugins: "1.9.1" });
  await installSlow(lab);
  const container = await lab.addContainer("c1");
  const slow = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1", delegate: "slow", role: "creator" } };
  const list = zone("1.0.0", wrapped(macvlan), slow);
  expectFailure(await lab.goCni.add(list, container, { timeout }), /signal: killed|deadline exceeded/);
  await lab.writeFile("/run/lab/awake", "");
  expectSuccess(await lab.goCni.add(list, container));
  expectSuccess(await lab.goCni.check(list, container));
  expectSuccess(await lab.goCni.del(list, container));
  await expectNothingLeft(lab, ["disc0"]);
});

/**
 * A plugin that does the same as bridge, but on ADD sleeps for longer than the deadline, unless it is awake. It writes that to a
 * file of the lab, with its process id.
 */
async function installSlow(lab: Lab): Promise<void> {
  const sleeping = `open(F, ">", "/run/lab/slow"); print F "$$ sleeping\\n"; close(F); select(undef, undef, undef, 60);`;
  const woken = `open(F, ">", "/run/lab/slow"); print F "$$ woken\\n"; close(F); exec "/opt/cni/bin/bridge";`;
  const script = `if ($ENV{CNI_COMMAND} eq "ADD" && !-e "/run/lab/awake") { ${sleeping} ${woken} } exec "/opt/cni/bin/bridge";`;
  await lab.writeFile("/opt/cni/bin/slow", `#!/usr/bin/perl\n${script}\n`);
  await lab.run("chmod", ["+x", "/opt/cni/bin/slow"]);
  // If a file may still be open for writing, the Node flavor starts it without setpriv.
  await sleep(2100);
}

/** The plugin's last words, and whether its process still runs after the runtime gave up. */
async function whatIsLeft(lab: Lab): Promise<{ lastWord: string | undefined; isRunning: boolean }> {
  const [pid, lastWord] = (await lab.readFile("/run/lab/slow")).trim().split(" ");
  const { stdout } = await lab.call("cat", [`/proc/${pid}/status`]);
  return { lastWord, isRunning: stdout !== "" && !/^State:\s+[ZX]/m.test(stdout) };
}
