import { expect, test } from "vitest";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { planOf } from "../support/fake-host.ts";
import fc from "../support/fast-check.ts";
import { oracle } from "../support/jq.ts";
import { requestOf } from "../support/requests.ts";
import { resultOf, type Scene, scenes } from "./scene.ts";

// The wrapper and the script of the bash workaround differ by design on these results, so they are not generated:
// - Several sandboxes, or a host-side interface, with the same name: the script takes the first of the list.
// - Addresses without an index: the script drops them, the wrapper gives them to the runtime's own interface.
// These parts differ in every result, so they are not compared:
// - Host-side interfaces: for bridge the script keeps all of them, else none; the wrapper keeps the attachment's own.
// - The index of an address: only the script for bridge moves it with its interface.
// - Routes: the script keeps those through another attachment's gateway.
const comparable = scenes({ severalSandboxes: false, unindexed: false }).filter((scene) => {
  const containers = scene.attachments.map(({ container }) => container.name);
  const hosts = scene.attachments.flatMap(({ before, behind }) => [...before, ...behind]);
  return !hosts.some(({ name, sandbox }) => containers.includes(name) || sandbox === "");
});

/** The prevResult that the wrapper gives to CHECK of one attachment. */
function wrapped(scene: Scene, ifName: string, prevResult: CniResult): CniResult {
  const runtimeIfName = scene.attachments[scene.runtime]?.container.name ?? "";
  const request = requestOf("CHECK", { prevResult, wrapper: { ifName, network: "zone" } }, { ifName: runtimeIfName });
  const plan = planOf(request, "macvlan-wrapper");
  return plan.do === "handOver" || plan.do === "checkTwice" ? (plan.call.configuration?.prevResult as CniResult) : {};
}

/** The parts that both must choose: the container interface, and its addresses in their order. */
function chosen({ interfaces, ips }: CniResult, ifName: string) {
  return {
    container: interfaces?.filter(({ name }) => name === ifName),
    ips: ips?.map(({ interface: _, ...ip }) => ip),
  };
}

test.each(["true", "false"])("the wrapper selects what the bash workaround selects, for bridge: %s", (bridge) => {
  fc.assert(
    fc.property(comparable, (scene) => {
      const prevResult = resultOf(scene);
      for (const { container } of scene.attachments) {
        const ifName = container.name;
        const script = oracle("workaround.jq", { prevResult }, { ifName, bridge }) as { prevResult: CniResult };
        expect(chosen(wrapped(scene, ifName, prevResult), ifName)).toEqual(chosen(script.prevResult, ifName));
      }
    }),
  );
});

test("for bridge it gives the addresses the same interface", () => {
  fc.assert(
    fc.property(comparable, (scene) => {
      const prevResult = resultOf(scene);
      const ifName = scene.attachments.at(-1)?.container.name ?? "";
      const script = oracle("workaround.jq", { prevResult }, { ifName, bridge: "true" }) as { prevResult: CniResult };
      const targets = ({ interfaces, ips }: CniResult) => ips?.map((ip) => interfaces?.[ip.interface ?? -1]?.name);
      expect(targets(wrapped(scene, ifName, prevResult))).toEqual(targets(script.prevResult));
    }),
  );
});
