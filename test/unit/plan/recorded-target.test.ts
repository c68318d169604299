import { expect, test } from "vitest";
import { recordedTarget } from "../../../shared/plan/recorded-target.ts";
import type { Target } from "../../../shared/call/target.ts";
import { frozen } from "../support/frozen.ts";
import { recordOf } from "../support/records.ts";
import { blue } from "../support/requests.ts";

const bridge = { role: "creator" } as const;
const profiles = frozen({ bridge, portmap: { role: "meta" } } as const);
const configured: Target = frozen({
  delegate: "portmap",
  profile: profiles.portmap,
  role: "meta",
  selector: { ifName: "eth2", netns: blue, runtimeIfName: "eth0" },
  renamed: true,
  network: "other",
});

test("a record says which plugin made the interface, and in which network", () => {
  expect(recordedTarget(configured, recordOf({ ifName: "eth1" }), profiles)).toStrictEqual({
    delegate: "bridge",
    profile: bridge,
    role: "creator",
    selector: { ifName: "eth1", netns: blue, runtimeIfName: "eth0" },
    renamed: true,
    network: "zone-eth1",
  });
});

test("an interface with the runtime's name is not renamed", () => {
  const target = recordedTarget(configured, recordOf({ delegate: "unknown" }), profiles);
  expect(target).toMatchObject({ delegate: "unknown", renamed: false, network: "zone", role: "creator" });
  expect(target.profile).toBeUndefined();
});
