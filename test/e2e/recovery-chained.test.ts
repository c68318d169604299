import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { leftOfContainers, rulesOfContainers } from "../support/leftovers.ts";
import { expectFailure, expectPassed } from "./calls.ts";
import { failNext, flaky, installFlaky } from "./recovery-support.ts";
import { firewall, front, macvlan, portmap, published, wrapped, zone } from "./support.ts";

// Before another ADD, a wrapped chained plugin removes what its failed try made.

const bandwidth = {
  type: "bandwidth",
  ingressRate: 8000000,
  ingressBurst: 800000,
  egressRate: 8000000,
  egressBurst: 800000,
};
const tuning = {
  type: "tuning",
  mac: "02:00:5e:10:00:01",
  mtu: 1400,
  sysctl: { "net.ipv4.conf.eth0.arp_notify": "1" },
};
const routed = {
  ...macvlan,
  ipam: { type: "host-local", ranges: [[{ subnet: "172.16.5.0/24", gateway: "172.16.5.1" }]] },
};

test("with and without a failed try, each wrapped chained plugin leaves the same state", async ({ lab }) => {
  await installFlaky(lab);
  const metas = [
    wrapped(bandwidth),
    wrapped(tuning),
    wrapped(firewall),
    wrapped(portmap),
    wrapped({ type: "sbr" }, "eth1"),
  ];
  const list = zone(wrapped(front), wrapped(routed, "eth1"), ...metas, flaky);
  const [tried, fresh] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
  await failNext(lab, 2);
  for (const _ of [1, 2]) expectFailure(await lab.goCni.add(list, tried, published(25080)), /not now/);
  expectPassed(await lab.goCni.add(list, tried, published(25080)));
  expectPassed(await lab.goCni.add(list, fresh, published(25081)));
  const [ofTried, ofFresh] = [await made(lab, tried, 25080), await made(lab, fresh, 25081)];
  expect(ofTried).toEqual(ofFresh);
  // Two empty containers would be equal as well.
  expect(ofTried).toMatchObject({ mac: "02:00:5e:10:00:01", mtu: 1400, arpNotify: "1" });
  expect(ofTried.rules.length).toBeGreaterThan(4);
  expect(ofTried.routing).toContain("from ETH1 lookup 100");
  expectPassed(await lab.goCni.check(list, tried, published(25080)));
  expectPassed(await lab.goCni.del(list, tried, published(25080)));
  expectPassed(await lab.goCni.check(list, fresh, published(25081)));
  expectPassed(await lab.goCni.del(list, fresh, published(25081)));
  expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
});

/** The chained plugins' state of a container, with general names for its addresses, port and devices. */
async function made(lab: Lab, container: Container, hostPort: number) {
  const { address: mac, mtu } = await lab.kernel.link(container, "eth0");
  const addresses = Object.entries(await lab.kernel.allAddresses(container));
  const names = addresses.map(
    ([ifName, [address = ""]]) => [address.split("/")[0] ?? "", ifName.toUpperCase()] as const,
  );
  const general = (text: string) =>
    [...names, [String(hostPort), "PORT"] as const]
      .reduce((result, [from, to]) => result.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to), text)
      .replaceAll(/\b(CNI-DN-|bwp|veth)[0-9a-f]{8,}/g, "$1")
      .replaceAll(/ -m comment --comment ".*"|\bindex \d+ /g, "")
      .trim();
  const inside = async (...words: string[]) => general(await lab.ip(container, "-4", ...words));
  const file = "/proc/sys/net/ipv4/conf/eth0/arp_notify";
  const veth = await lab.kernel.hostVeth(container, "eth0");
  const rules = (await rulesOfContainers(lab)).map(general);
  return {
    mac,
    mtu,
    arpNotify: (await lab.run("nsenter", [`--net=${container.netns}`, "cat", file])).trim(),
    routing: [await inside("rule"), await inside("route", "show", "table", "100")].join("\n"),
    limits: general(await lab.run("sh", ["-c", `tc qdisc show dev ${veth}; tc filter show dev ${veth} ingress`])),
    rules: rules.filter((rule) => /\b(ETH0|PORT)\b/.test(rule)),
  };
}
