import { setTimeout } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { wrapped } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { Cri, startLab } from "./cri.ts";
import { Crio, hasCrio, startCrioLab } from "./crio.ts";
import { Kubelet, kubeletProgram } from "./kubelet.ts";
import { bridge, expectNoTraceOfContainers, hostLinks, macvlan } from "./support.ts";

const names = Array.from({ length: 10 }, (_, number) => `p${number}`);
const containerd = "containerd 2.2.9";

function pods(...plugins: NetworkList["plugins"]): NetworkList {
  return { cniVersion: "1.0.0", name: "pods", plugins };
}

describe.each([containerd, "CRI-O"])("a kubelet with %s", { timeout: 600_000 }, (runtime) => {
  const isMissing = kubeletProgram === "" || (runtime === "CRI-O" && !hasCrio);

  test.skipIf(isMissing)(
    "runs ten static pods of two interfaces, which survive restarts and leave nothing",
    async () => {
      await using lab = await startLabOf(runtime);
      await using daemon = await startDaemon(runtime, lab, pods(wrapped(bridge), wrapped(macvlan, "lan0")));
      await using kubelet = await Kubelet.start(lab);
      for (const name of names) await kubelet.addPod(name);
      await waitUntil(kubelet, async () => expect(await running(kubelet)).toEqual(names));
      const before = await seen(lab, kubelet, daemon);
      // They are made side by side, so the two addresses of a pod may have two numbers.
      expect(before.addresses.map((own) => own.length)).toEqual(names.map(() => 2));
      const expected = names.flatMap((_, number) => [`172.16.5.${number + 2}`, `172.26.64.${number + 2}`]);
      expect(before.addresses.flat().sort()).toEqual(expected.sort());

      await kubelet.restart();
      // In this time it looks at its pods several times.
      await setTimeout(15_000);
      expect(await seen(lab, kubelet, daemon)).toEqual(before);
      expect((await daemon.restart()) ?? []).toEqual([]);
      await setTimeout(15_000);
      expect(await seen(lab, kubelet, daemon)).toEqual(before);

      await kubelet.removePods();
      await waitUntil(kubelet, async () => expect(await daemon.pods()).toEqual([]));
      await expectNoTraceOfContainers(lab, hostLinks);
    },
  );

  test.skipIf(isMissing)("runs no static pod with the same two interface plugins unwrapped", async () => {
    await using lab = await startLabOf(runtime);
    await using _daemon = await startDaemon(runtime, lab, pods(bridge, macvlan));
    await using kubelet = await Kubelet.start(lab);
    await kubelet.addPod("p0");
    await vi.waitFor(
      async () => expect(await kubelet.log()).toMatch(/failed to rename macvlan to .*eth0.*file exists/),
      { timeout: 60_000, interval: 1000 },
    );
    expect(await running(kubelet)).toEqual([]);
  });
});

async function running(kubelet: Kubelet): Promise<string[]> {
  const all = await kubelet.pods();
  return all.flatMap(({ name, phase }) => (phase === "Running" ? [name] : [])).sort();
}

/** What must stay while a daemon restarts: the pods with their addresses, their sandboxes, and the addresses inside. */
async function seen(lab: Lab, kubelet: Kubelet, daemon: Daemon) {
  const shown = (await kubelet.pods()).toSorted((one, other) => one.name.localeCompare(other.name));
  const addresses: string[][] = [];
  for (const name of await lab.readdir("/run/netns")) {
    const { lo: _, ...own } = await lab.kernel.allAddresses({ name, netns: `/run/netns/${name}` });
    addresses.push(
      Object.values(own)
        .flat()
        .map((address) => address.replace(/\/.*/, ""))
        .sort(),
    );
  }
  return { shown, sandboxes: (await daemon.pods()).toSorted(), addresses: addresses.sort() };
}

async function waitUntil(kubelet: Kubelet, isSo: () => Promise<void>): Promise<void> {
  try {
    await vi.waitFor(isSo, { timeout: 180_000, interval: 1000 });
  } catch (error) {
    throw new Error(`${error}\n${await kubelet.log()}`);
  }
}

interface Daemon extends AsyncDisposable {
  pods(): Promise<readonly string[]>;
  /** CRI-O's returns its warnings. */
  restart(): Promise<unknown>;
}

function startLabOf(runtime: string): Promise<Lab> {
  const programs = { kubelet: kubeletProgram };
  return runtime === containerd ? startLab(containerd, { programs }) : startCrioLab({ programs });
}

async function startDaemon(runtime: string, lab: Lab, list: NetworkList): Promise<Daemon> {
  return runtime === containerd ? await Cri.start(lab, containerd, list) : await Crio.start(lab, list);
}
