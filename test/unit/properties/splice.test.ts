import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import { type AttachmentSelector, findAttachment } from "../../../shared/attachment/attachments.ts";
import { spliceCreator, spliceMeta } from "../../../shared/attachment/splice.ts";
import type { Plan } from "../../../shared/call/plan.ts";
import type { ConfiguredVerb } from "../../../shared/protocol/request.ts";
import type { CniResult, Interface, IpConfig } from "../../../shared/protocol/result.ts";
import { spliceResult } from "../../../shared/verbs/spliced-answer.ts";
import { planOf } from "../support/fake-host.ts";
import fc from "../support/fast-check.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";
import { interfacesOf, made, netns, orderedInterfacesOf, resultOf, type Scene, scenes } from "./scene.ts";

function nameOf(scene: Scene, number: number): AttachmentSelector {
  const runtimeIfName = made(scene, scene.runtime).container.name;
  return { ifName: made(scene, number).container.name, netns, runtimeIfName };
}

/** The addresses of a result, each with its interface instead of an index. */
function pointed({ interfaces, ips }: CniResult): [Interface | undefined, Omit<IpConfig, "interface">][] {
  return (ips ?? []).map(({ interface: index, ...ip }) => [interfaces?.[index ?? -1], ip]);
}

/** The same, as the scene has it. */
function expectedPointed(scene: Scene, numbers: readonly number[]) {
  return scene.ips
    .filter(({ of }) => of !== undefined && numbers.includes(of))
    .map(({ of, value: { interface: _, ...ip } }) => [made(scene, of).container, ip]);
}

/** Scenes in which the last creator makes the call's own attachment. */
const creations = scenes().filter((scene) => {
  const last = scene.attachments.length - 1;
  return last > 0 && scene.runtime < last && made(scene, last).container.sandbox === netns;
});

function created(scene: Scene) {
  const last = scene.attachments.length - 1;
  const others = [...scene.attachments.keys()].slice(0, last);
  const [prevResult, delegateResult] = [resultOf(scene, others), resultOf(scene, [last])];
  return {
    last,
    others,
    prevResult,
    delegateResult,
    merged: spliceCreator(prevResult, delegateResult, nameOf(scene, last)),
  };
}

test("a creator's attachment is appended, and the others lose and change nothing", () => {
  fc.assert(
    fc.property(creations, (scene) => {
      const { last, others, merged } = created(scene);
      deepStrictEqual(merged.interfaces, scene.attachments.flatMap(orderedInterfacesOf));
      deepStrictEqual(pointed(merged), [...expectedPointed(scene, others), ...expectedPointed(scene, [last])]);
      expect(new Set(merged.routes)).toStrictEqual(new Set(scene.routes.map(({ value }) => value)));
      expect(merged).toMatchObject(scene.rest);
    }),
  );
});

/** A chained plugin's changes to its interface: other keys, another interface before or after it, other addresses. */
const changes = fc.record({
  more: fc.record({ mac: fc.constantFrom("02:00:00:00:00:01", "02:00:00:00:00:02") }),
  before: fc.array(fc.record({ name: fc.constantFrom("ifb0", "ifb1") }), { maxLength: 2 }),
  behind: fc.array(fc.record({ name: fc.constantFrom("ifb2", "ifb3") }), { maxLength: 2 }),
  ips: fc.array(fc.record({ address: fc.constantFrom("10.9.0.2/24", "fd09::2/64"), indexed: fc.boolean() }), {
    maxLength: 2,
  }),
});

test("a chained plugin's answer replaces its attachment, and the others lose and change nothing", () => {
  fc.assert(
    fc.property(scenes(), changes, (scene, { more, before, behind, ips }) => {
      const number = scene.runtime;
      const [prevResult, name] = [resultOf(scene), nameOf(scene, number)];
      const attachment = findAttachment(prevResult, name.ifName, netns);
      if (attachment === undefined) throw new Error(`${name.ifName} was not found`);
      const own = made(scene, number);
      const changed = frozen({ ...own, before, behind, container: { ...own.container, ...more } });
      const added = ips.map(({ address, indexed }) => (indexed ? { address, interface: before.length } : { address }));
      const delegateResult = frozen({
        interfaces: interfacesOf(changed),
        ips: added,
        routes: [{ dst: "10.9.9.0/24" }],
      });

      const merged = spliceMeta({ prevResult, attachment, selector: name }, delegateResult);

      const others = [...scene.attachments.keys()].filter((other) => other !== number);
      const attachments = scene.attachments.with(number, changed);
      deepStrictEqual(merged.interfaces, attachments.flatMap(orderedInterfacesOf));
      const isOwn = ([target]: readonly unknown[]): boolean =>
        JSON.stringify(target) === JSON.stringify(changed.container);
      deepStrictEqual(
        pointed(merged).filter((ip) => !isOwn(ip)),
        expectedPointed(scene, others),
      );
      deepStrictEqual(
        pointed(merged).filter(isOwn),
        ips.map(({ address }) => [changed.container, { address }]),
      );
      const hidden = scene.routes.filter(({ of }) => of !== undefined && of !== number).map(({ value }) => value);
      deepStrictEqual(merged.routes, [{ dst: "10.9.9.0/24" }, ...hidden]);
      expect(merged).toMatchObject(scene.rest);
    }),
  );
});

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
