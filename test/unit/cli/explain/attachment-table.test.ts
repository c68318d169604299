import { describe, expect, test } from "vitest";
import { attachmentTable, interfacesOf } from "../../../../cli/explain/attachment-table.ts";
import { explain } from "../../../../cli/explain/explain.ts";
import { exampleAttachment, exampleSource } from "../../../../cli/explain/model-answers.ts";
import type { CniResult } from "../../../../shared/protocol/result.ts";
import { listOf as readExample } from "../../../support/examples.ts";
import { explained, parsedList } from "./support.ts";

function tableOf(name: string): string | undefined {
  return attachmentTable(explained(readExample(name)));
}

describe("the table of the attachment", () => {
  test("shows the host's devices, the plugins, the interfaces, the addresses and the ports", () => {
    expect(tableOf("published-on-two")).toBe(`\
host                        plugin  interface  address
front0 ─ veth00000001       bridge  eth0       172.30.0.2/20
portmap :20080/tcp to :80
veth00000002                ptp     eth1       10.51.0.2/24
portmap :20443/tcp to :443`);
  });

  test("shows the plugins that act on one interface, and an interface without a device of the host", () => {
    expect(tableOf("limited")?.replace(/bwp[0-9a-f]{8}/, "bwp????????")).toBe(`\
host                                  plugin   interface  address
ens18                                 macvlan  eth0       172.16.5.100/24
shared0 ─ veth00000001 ─ bwp????????  bridge   eth1       172.31.0.2/20
                                                          (tuning)
                                                          (bandwidth)
                                                          (firewall)`);
    expect(tableOf("service-address")).toContain("\n       dummy    svc0       10.255.0.1/32");
  });

  test("names the ports as their keys say, however these are written", () => {
    const list = parsedList({
      cniVersion: "1.0.0",
      name: "zone",
      plugins: [
        { type: "tap", ipam: { type: "static", addresses: [{ address: "10.1.0.9/24" }] } },
        { type: "portmap", capabilities: { portMappings: true } },
        { type: "tuning" },
      ],
    });
    const portMappings = [
      { hostPort: 8080, containerPort: 80 },
      { HostPort: 8053, containerport: 53, protocol: "UDP", hostIP: "192.0.2.1" },
      "none",
    ];
    const attachment = { ...exampleAttachment(list), capabilityArgs: { portMappings } };
    expect(attachmentTable(explain(list, "ADD", exampleSource(attachment)))).toBe(`\
host                               plugin  interface  address
                                   tap     eth0       10.1.0.9/24
portmap :8080/tcp to :80
portmap 192.0.2.1:8053/udp to :53`);
  });

  test("no port leads to an interface without an address", () => {
    const plugins = [{ type: "tap" }, { type: "portmap", capabilities: { portMappings: true } }];
    expect(attachmentTable(explained({ cniVersion: "1.0.0", name: "zone", plugins }))).toBe(`\
host  plugin  interface  address
      tap     eth0`);
  });

  test("an address without an interface is the runtime's", () => {
    const plugins = [{ type: "tap-wrapper" }, { type: "tap-wrapper", wrapper: { ifName: "eth1" } }];
    const explanation = explained({ cniVersion: "1.0.0", name: "zone", plugins });
    const ips = [{ address: "10.1.0.9/24" }, { address: "10.1.0.8/24", interface: null }];
    const result = { ...explanation.result, ips } as CniResult;
    expect(interfacesOf({ ...explanation, result }).map(({ addresses }) => addresses)).toEqual([
      ["10.1.0.9/24", "10.1.0.8/24"],
      [],
    ]);
  });

  test("marks an address that another server chooses", () => {
    const list = { cniVersion: "1.0.0", name: "zone", plugins: [{ type: "macvlan-wrapper", ipam: { type: "dhcp" } }] };
    expect(interfacesOf(explained(list, "CHECK"))).toMatchObject([
      { addresses: ["192.0.2.10/24 (from DHCP)"], devices: ["default route"] },
    ]);
  });

  test("is missing if there is no result, or no interface", () => {
    const macvlan = { type: "macvlan-wrapper" };
    const listOf = (cniVersion: string, ...plugins: object[]) => explained({ cniVersion, name: "zone", plugins });
    expect(attachmentTable(listOf("1.0.0", macvlan, macvlan))).toBeUndefined();
    expect(attachmentTable(listOf("0.2.0", macvlan))).toBeUndefined();
  });
});
