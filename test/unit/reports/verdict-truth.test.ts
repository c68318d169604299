import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { bridge } from "../../../cli/model/bridge.ts";
import { chained } from "../../../cli/model/chained.ts";
import { creators } from "../../../cli/model/creators.ts";
import { kinds } from "../../../cli/model/kinds.ts";
import { Machine } from "../../../cli/model/machine.ts";
import type { PluginCall } from "../../../cli/model/plugin.ts";
import { candidateOf, judge } from "../../reports/verdict-truth/compare.ts";
import { differences, reasonOf } from "../../reports/verdict-truth/differences.ts";
import { hostThings, stillThere } from "../../reports/verdict-truth/host-things.ts";
import type { Seen } from "../../reports/verdict-truth/truth.ts";
import type { Lab } from "../../support/lab.ts";

const root = path.join(import.meta.dirname, "../../..");
const recorded: [string, Seen[]][] = Object.entries(
  JSON.parse(readFileSync(path.join(root, "test/fixtures/verdicts/seen.json"), "utf8")),
);

/** The events of a recorded list that end otherwise in the model. */
function differing([file, seen]: [string, Seen[]]) {
  const candidate = candidateOf(path.basename(file), readFileSync(path.join(root, file), "utf8"));
  return judge(candidate, seen).filter(({ isEqual }) => !isEqual);
}

test.each(recorded)("%s ends as with the real plugins", (file, seen) => {
  expect(differing([file, seen])).toEqual([]);
});

describe("a fault in the model is seen", () => {
  const undo: (() => void)[] = [];

  afterEach(() => {
    for (const one of undo.splice(0)) one();
  });

  /** Replaces a part of the model until the test ends. */
  function put(object: object, changes: Record<string, unknown>): void {
    const former = Object.fromEntries(Object.keys(changes).map((key) => [key, Reflect.get(object, key)]));
    undo.push(() => Object.assign(object, former));
    Object.assign(object, changes);
  }

  const { reboot, macOf } = Machine.prototype;
  const faults: [string, () => void][] = [
    ["macvlan takes a name that is taken", () => put(kinds.macvlan, { ifTaken: () => undefined })],
    ["bridge takes a name that is taken", () => put(bridge, { ifTaken: () => undefined })],
    ["ptp sets no routes", () => put(kinds.ptp, { finish: () => {} })],
    ["CHECK of bridge passes", () => put(creators.bridge as object, { check: () => {} })],
    ["CHECK of firewall passes", () => put(chained.firewall as object, { check: () => {} })],
    ["CHECK of bandwidth passes", () => put(chained.bandwidth as object, { check: () => {} })],
    [
      "sbr moves no routes",
      () => put(chained.sbr as object, { add: (_: Machine, { config }: PluginCall) => passing(config) }),
    ],
    [
      "DEL of bridge knows its rules without a namespace",
      () => {
        const { del } = creators.bridge as (typeof creators)[string];
        put(creators.bridge as object, {
          *del(machine: Machine, call: PluginCall) {
            yield* del(machine, call);
            machine.removeRules(({ text }) => text.includes(String(call.env.CNI_CONTAINERID)));
          },
        });
      },
    ],
    [
      "DEL of tuning removes its file without a link",
      () => put(chained.tuning as object, { del: (machine: Machine) => withoutBackups(machine) }),
    ],
    [
      "a reboot frees the leases",
      () =>
        put(Machine.prototype, {
          reboot(this: Machine) {
            reboot.call(this);
            this.files.clear();
          },
        }),
    ],
    [
      "a bridge has its MAC for good",
      () =>
        put(Machine.prototype, {
          macOf(this: Machine, name: string) {
            return this.bridges.get(name)?.firstMac ?? macOf.call(this, name);
          },
        }),
    ],
  ];

  // biome-ignore lint/correctness/useYield: it does nothing on the host
  function* passing({ prevResult }: PluginCall["config"]) {
    return prevResult;
  }

  // biome-ignore lint/correctness/useYield: it is done in one step
  function* withoutBackups({ files }: Machine) {
    for (const file of [...files.keys()]) if (file.startsWith("/run/cni/tuning/")) files.delete(file);
  }

  test.each(faults)("%s", (_, put) => {
    put();
    expect(recorded.flatMap(differing)).not.toEqual([]);
  });
});

test("a file that stays is found also if a table of packet rules is new", async () => {
  const host = (stdout: string) => ({ call: async () => ({ stdout }) }) as unknown as Lab;
  const file = "file /var/lib/cni/wrappers/one/zone:eth0";
  const made = await hostThings(host(file), "one");
  const now = await hostThings(host(`*nat\n:POSTROUTING ACCEPT\n${file}`), "one");
  expect(stillThere(made, now)).toEqual([{ kind: "file", name: "/var/lib/cni/wrappers/one/zone:eth0" }]);
});

test("each difference has its reason once", () => {
  expect(new Set(differences.map(({ list, event }) => `${list} ${event}`)).size).toBe(differences.length);
  expect(differences.every((one) => reasonOf(one) === one.reason && one.reason.length > 20)).toBe(true);
  expect(reasonOf({ list: "zone.conflist", event: "start" })).toBeUndefined();
});
