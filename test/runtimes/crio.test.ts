import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { wrapped } from "../e2e/support.ts";
import { installScripts } from "../nomad/scripts.ts";
import type { Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { Crio, hasCrio, startCrioLab } from "./crio.ts";
import { bridge, expectNoTraceOfContainers, failureOf, hostLinks, macvlan, nameTaken } from "./support.ts";

function pods(...plugins: NetworkList["plugins"]): NetworkList {
  return { cniVersion: "1.1.0", name: "pods", plugins };
}

const list = pods(wrapped(bridge), wrapped(macvlan, "lan0"));
const addressesOf = (number: number) => [`172.26.64.${number + 2}`, `172.16.5.${number + 2}`];

describe.skipIf(!hasCrio)("CRI-O", () => {
  test("50 pods of two interfaces pass CHECK in ten restarts, and leave nothing when they are removed", {
    timeout: 600_000,
  }, async () => {
    await using lab = await startCrioLab();
    await using crio = await Crio.start(lab, list);
    const ids = await runPods(crio, 50);
    for (let restart = 0; restart < 10; restart++) {
      expect(await crio.restart()).toEqual([]);
      expect(await Promise.all(ids.map((id) => crio.addresses(id)))).toEqual(
        ids.map((_, number) => addressesOf(number)),
      );
    }
    for (const id of ids) await crio.end(id);
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("calls ADD, at once CHECK, and after a restart GC and CHECK", async () => {
    await using lab = await startCrioLab({ recorded: true });
    await using crio = await Crio.start(lab, list);
    const id = await crio.run("p1");
    // Its first start also runs GC.
    expect(await verbsOf(lab)).toEqual(["GC", "ADD", "CHECK"]);
    await crio.restart();
    const verbs = await verbsOf(lab);
    expect(verbs.slice(0, 3)).toEqual(["GC", "ADD", "CHECK"]);
    expect(verbs.slice(3).sort()).toEqual(["CHECK", "GC"]);
    await crio.end(id);
  });

  test("after a restart warns of a pod that lost an interface and does not know its addresses, and knows the others'", async () => {
    await using lab = await startCrioLab();
    await using crio = await Crio.start(lab, list);
    const [damaged = "", sound = ""] = await runPods(crio, 2);
    await lab.ip(await crio.containerWith("172.16.5.2"), "link", "delete", "lan0");
    const warnings = await crio.restart();
    expect(warnings.join("\n")).toMatch(/lan0/);
    expect(await crio.addresses(damaged)).toEqual([undefined]);
    expect(await crio.addresses(sound)).toEqual(addressesOf(1));
    for (const id of [damaged, sound]) await crio.end(id);
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("GC after a restart removes an attachment that it does not know, and no other one", async () => {
    await using lab = await startCrioLab();
    await using crio = await Crio.start(lab, list);
    const id = await crio.run("p1");
    const stranger = await lab.addContainer("stranger");
    expect(await lab.goCni.add(list, stranger)).toMatchObject({ exitCode: 0 });
    expect(await crio.restart()).toEqual([]);
    expect(await lab.kernel.leases()).toEqual(["pods/172.26.64.2", "pods-lan0/172.16.5.2"]);
    expect(await crio.addresses(id)).toEqual(addressesOf(0));
    await crio.end(id);
  });

  test("killed in the middle of ten ADDs and of ten DELs, it starts again, and GC leaves nothing once the namespaces that it forgot are gone", async () => {
    await using lab = await startCrioLab();
    await using crio = await Crio.start(lab, list);
    const names = Array.from({ length: 10 }, (_, number) => `p${number}`);
    await Promise.all([...names.map((name) => crio.tryToRun(name)), killAtWork(lab, crio)]);
    await crio.startAgain();
    for (const id of await crio.pods()) await crio.end(id);
    const ids = await Promise.all(names.map((name) => crio.run(`again-${name}`)));
    await Promise.all([...ids.map((id) => crio.end(id).catch(() => {})), killAtWork(lab, crio)]);
    await crio.startAgain();
    for (const id of await crio.pods()) await crio.end(id);
    // It forgets a pod whose ADD was cut off, and its namespace stays. While it is there, it may belong to another runtime.
    await lab.run("sh", ["-c", "ip netns list | cut -d' ' -f1 | xargs --no-run-if-empty --max-args=1 ip netns delete"]);
    await crio.restart();
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("after a simulated reboot GC removes what the old pods had, and new pods start", async () => {
    using disk = mkdtempDisposableSync(path.join(tmpdir(), "cni-wrappers-crio-"));
    {
      await using lab = await startCrioLab({ disk: disk.path });
      await runPods(await Crio.start(lab, list), 5);
    }
    await using lab = await startCrioLab({ disk: disk.path });
    await using crio = await Crio.start(lab, list);
    expect(await crio.pods()).toEqual([]);
    // CRI-O answers before its GC has ended.
    await expect.poll(() => lab.kernel.leases(), { timeout: 30_000 }).toEqual([]);
    const ids = [await crio.run("p5"), await crio.run("p6")];
    for (const id of ids) await crio.end(id);
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test.each([
    ["eth0's plugin is the first one", list, "172.26.64.2"],
    ["another interface's plugin is the first one", pods(wrapped(macvlan, "lan0"), wrapped(bridge)), "172.16.5.2"],
  ])("publishes a port at the first address of the result: %s", async (_, pluginList, address) => {
    await using lab = await startCrioLab();
    await using crio = await Crio.start(lab, pluginList);
    const id = await crio.run("p1", 25649);
    const ruleset = () => lab.run("sh", ["-c", "nft list ruleset; iptables-save"]);
    expect(await ruleset()).toMatch(new RegExp(`25649 .*${address.replaceAll(".", "\\.")}[ .:]+8080`));
    await crio.end(id);
    expect(await ruleset()).not.toMatch(/25649/);
  });

  test("runs no pod with the same two interface plugins unwrapped", async () => {
    await using lab = await startCrioLab();
    await using crio = await Crio.start(lab, pods(bridge, macvlan));
    expect(failureOf(await crio.tryToRun("p1"))).toMatch(nameTaken);
  });

  test("runs no pod with a script that only merges results: CHECK fails", async () => {
    await using lab = await startCrioLab();
    await installScripts("merge-only")(lab);
    await using crio = await Crio.start(lab, pods(bridge, macvlan), "/opt/cni/bin/script");
    expect(failureOf(await crio.tryToRun("p1"))).toMatch(/failed to get network status for pod sandbox/);
  });
});

async function runPods(crio: Crio, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    ids.push(await crio.run(`p${number}`));
    expect(await crio.addresses(ids.at(-1) ?? "")).toEqual(addressesOf(number));
  }
  return ids;
}

/** The verbs of the calls of the first plugin's wrapper, except for STATUS, which CRI-O calls again and again. */
async function verbsOf(lab: Lab): Promise<(string | undefined)[]> {
  const calls = (await lab.records()).filter(({ plugin }) => plugin === "bridge-wrapper");
  return calls.map(({ env }) => env.CNI_COMMAND).filter((verb) => verb !== "STATUS" && verb !== "VERSION");
}

/** Kills the daemon when a wrapper runs. */
async function killAtWork(lab: Lab, crio: Crio): Promise<void> {
  await lab.run("sh", ["-c", "until pgrep -f '[b]in/macvlan-wrapper' >/run/lab/at-work; do sleep 0.01; done"]);
  await crio.stop("KILL");
}
