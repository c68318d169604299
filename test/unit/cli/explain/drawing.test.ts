import { describe, expect, test } from "vitest";
import { drawing } from "../../../../cli/explain/drawing.ts";
import { sceneOf } from "../../../../cli/explain/scene.ts";
import { examples, listOf as readExample } from "../../../support/examples.ts";
import { explained } from "./support.ts";

function drawn(name: string, width = 80): string {
  const scene = sceneOf(explained(readExample(name)));
  return scene === undefined ? "" : drawing(scene, width);
}

describe("in the terminal", () => {
  test("shows the host's devices, the plugins, the interfaces, the addresses and the ports", () => {
    expect(drawn("published-on-two")).toBe(`\
┌ host ──────────────────────┐          ┌ container example ──┐
│ front0 ─ veth00000001      ├─ bridge ─┤ eth0  172.30.0.2/20 │
│ portmap :20080/tcp to :80  │          │                     │
│                            │          │                     │
│ veth00000002               ├── ptp ───┤ eth1  10.51.0.2/24  │
│ portmap :20443/tcp to :443 │          │                     │
└────────────────────────────┘          └─────────────────────┘
`);
  });

  test("shows the plugins that act on one interface, and an interface without a device of the host", () => {
    expect(drawn("limited")).toBe(`\
┌ host ────────────────────────────────┐           ┌ container example ────┐
│ ens18                                ├─ macvlan ─┤ eth0  172.16.5.100/24 │
│                                      │           │                       │
│ shared0 ─ veth00000001 ─ bwp00000002 ├─ bridge ──┤ eth1  172.31.0.2/20   │
│                                      │           │       (tuning)        │
│                                      │           │       (bandwidth)     │
│                                      │           │       (firewall)      │
└──────────────────────────────────────┘           └───────────────────────┘
`);
    expect(drawn("service-address")).toContain("│        │   dummy   │ svc0  10.255.0.1/32  │");
  });

  test("is a list where the terminal is narrow, and never wider than it", () => {
    expect(drawn("published-on-two", 30)).toBe(`\
container example
├ eth0 (bridge)
│   172.30.0.2/20
│   on front0 ─ veth00000001
│   portmap :20080/tcp to :80
├ eth1 (ptp)
│   10.51.0.2/24
│   on veth00000002
│   portmap :20443/tcp to :443
└
`);
    expect(drawn("published-on-two", 12).split("\n")).toContain("│   172.30.…");
  });

  test.each([20, 40, 60, 75, 80, 120])("no line has more than %i characters", (width) => {
    const lines = Object.keys(examples).flatMap((name) => drawn(name, width).split("\n"));
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  test("DEL shows the ports that each plugin published, although it gets all of them", () => {
    const scene = sceneOf(explained(readExample("published-on-two"), "DEL"));
    expect(scene?.interfaces.map(({ ports }) => ports)).toEqual([
      ["portmap :20080/tcp to :80"],
      ["portmap :20443/tcp to :443"],
    ]);
  });

  test("marks an address that another server chooses", () => {
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "macvlan-wrapper", ipam: { type: "dhcp" } }] };
    const scene = sceneOf(explained(list, "CHECK"));
    expect(scene?.interfaces).toMatchObject([{ addresses: ["192.0.2.10/24 (from DHCP)"], devices: ["default route"] }]);
  });

  test("is missing if there is no result, or no interface", () => {
    const macvlan = { type: "macvlan-wrapper" };
    expect(sceneOf(explained({ cniVersion: "1.0.0", name: "zone", plugins: [macvlan, macvlan] }))).toBeUndefined();
    expect(sceneOf(explained({ cniVersion: "0.2.0", name: "zone", plugins: [macvlan] }))).toBeUndefined();
  });
});
