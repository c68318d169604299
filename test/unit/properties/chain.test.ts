import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import type { Plan } from "../../../shared/call/plan.ts";
import type { ConfiguredVerb } from "../../../shared/protocol/request.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { spliceResult } from "../../../shared/verbs/spliced-answer.ts";
import { planOf } from "../support/fake-host.ts";
import fc from "../support/fast-check.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";
import { made, orderedInterfacesOf, resultOf, type Scene, scenes } from "./scene.ts";

/** Plans a verb for one attachment of a scene, in a chain of creators without profiles. */
function planned(command: ConfiguredVerb, scene: Scene, number: number, prevResult?: CniResult): Plan {
  const ifName = made(scene, number).container.name;
  const wrapper = { ifName, role: "creator", network: `net${number}` };
  const configuration = { wrapper, ...(prevResult && { prevResult }) };
  const variables = { ifName: made(scene, scene.runtime).container.name };
  return planOf(requestOf(command, configuration, variables), "some-wrapper");
}

/** What the runtime gets at the end of the chain. */
function added(scene: Scene): CniResult {
  let result: CniResult | undefined;
  for (const number of scene.attachments.keys()) {
    const plan = planned("ADD", scene, number, result);
    if (plan.do !== "add") throw new Error(`ADD is planned as ${plan.do}`);
    expect(plan.call.configuration).not.toHaveProperty("prevResult");
    result = frozen(spliceResult(plan.splice, resultOf(scene, [number])));
  }
  return result ?? {};
}

/** The addresses of an attachment alone, with its index. */
function ownIps(scene: Scene, number: number) {
  const index = orderedInterfacesOf(made(scene, number)).length - 1;
  return scene.ips.filter(({ of }) => of === number).map(({ value }) => ({ ...value, interface: index }));
}

// If nothing changes, an address without an index is returned unchanged. narrow then decides about it.
const indexed = scenes({ severalSandboxes: false, unindexed: false });

test.each(["CHECK", "DEL"] as const)(
  "on %s every delegate sees what it returned on ADD, as if it were alone",
  (command) => {
    fc.assert(
      fc.property(indexed, (scene) => {
        const prevResult = added(scene);
        for (const number of scene.attachments.keys()) {
          const plan = planned(command, scene, number, prevResult);
          const call = plan.do === "checkTwice" ? plan.call : plan.do === "remove" ? plan.removals[0]?.call : undefined;
          const shown = (call?.configuration?.prevResult ?? {}) as CniResult;
          deepStrictEqual(shown.interfaces, orderedInterfacesOf(made(scene, number)));
          deepStrictEqual(shown.ips, ownIps(scene, number));
        }
      }),
    );
  },
);

test("the runtime gets every interface once, in the order of the chain, and every address and route", () => {
  fc.assert(
    fc.property(indexed, (scene) => {
      const { interfaces, ips, routes } = added(scene);
      deepStrictEqual(interfaces, scene.attachments.flatMap(orderedInterfacesOf));
      expect(new Set(ips?.map(({ address }) => address))).toEqual(new Set(scene.ips.map(({ value }) => value.address)));
      expect(new Set(routes)).toEqual(new Set(scene.routes.map(({ value }) => value)));
    }),
  );
});
