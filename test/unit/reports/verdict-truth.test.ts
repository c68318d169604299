import { expect, test } from "vitest";
import { hostThings, stillThere } from "../../reports/verdict-truth/host-things.ts";
import type { Lab } from "../../support/lab.ts";

test("a file that stays is found also if a table of packet rules is new", async () => {
  const host = (stdout: string) => ({ call: async () => ({ stdout }) }) as unknown as Lab;
  const file = "file /var/lib/cni/wrappers/one/zone:eth0";
  const made = await hostThings(host(file), "one");
  const now = await hostThings(host(`*nat\n:POSTROUTING ACCEPT\n${file}`), "one");
  expect(stillThere(made, now)).toEqual([{ kind: "file", name: "/var/lib/cni/wrappers/one/zone:eth0" }]);
});

test.each([
  '-A POSTROUTING -s 172.26.64.2/32 -m comment --comment "name: \\"zone\\" id: \\"one\\"" -j CNI-5f346e2d484bb1c7403b7e9b',
  '\t\tip saddr 172.26.64.2 ip daddr != 172.26.64.0/20 masquerade comment "a943b878e1adf9fa, net: zone, if: eth0, id: one"',
])("masquerading is found with each backend: %s", async (line) => {
  const host = { call: async () => ({ stdout: line }) } as unknown as Lab;
  expect([...(await hostThings(host, "one")).values()]).toEqual([{ kind: "masquerading", name: "172.26.64.2" }]);
});
