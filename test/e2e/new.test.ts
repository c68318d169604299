import { expect, test } from "vitest";
import { newList } from "../../cli/new/new-list.ts";
import type { HostNetworks } from "../../cli/new/values.ts";
import { exampleHost } from "../support/examples.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { expectPassed, withoutAddresses } from "./calls.ts";

/** The lab's host. The gateway is on the other end of ens18. */
const host: HostNetworks = {
  links: [],
  interfaces: [{ name: "ens18", addresses: ["172.16.5.7/24"] }],
  gateway: "172.16.5.1",
  subnets: ["172.16.5.7/24"],
};
const ports = [{ hostPort: 25000, containerPort: 80, protocol: "tcp" as const }];

interface Row {
  readonly title: string;
  readonly preset: string;
  readonly more?: { subnet6: string };
  /** The first container's addresses. */
  readonly addresses: Readonly<Record<string, readonly (string | RegExp)[]>>;
  readonly bridge: string;
}

const rows: readonly Row[] = [
  { title: "nomad-bridge", preset: "nomad-bridge", addresses: { eth0: ["172.26.80.2/20"] }, bridge: "br-nomad-bridge" },
  {
    title: "nomad-bridge with IPv6",
    preset: "nomad-bridge",
    more: { subnet6: "fd00:9::/64" },
    addresses: { eth0: ["172.26.80.2/20", "fd00:9::2/64"] },
    bridge: "br-nomad-bridge",
  },
  {
    title: "macvlan+bridge",
    preset: "macvlan+bridge",
    addresses: { eth0: ["172.16.5.128/24"], eth1: ["172.26.80.2/20"] },
    bridge: "br-zone",
  },
  {
    title: "dual-stack",
    preset: "dual-stack",
    addresses: { eth0: ["172.26.80.2/20", /^fd.*::2\/64$/], eth1: ["172.16.5.128/24"] },
    bridge: "br-dual",
  },
];

test.each(rows)("$title: passes, and CHECK sees a loss", async ({ preset, more, addresses, bridge }) => {
  const { text } = newList(preset, more ?? {}, host);
  const list: NetworkList = JSON.parse(text);
  await using lab = await exampleHost();
  const container = await lab.addContainer("c1");
  expect(await lab.goCni.add(list, container, { ports })).toMatchObject({ exitCode: 0 });
  for (const [ifName, expected] of Object.entries(addresses)) {
    const matched = expected.map((one) => (typeof one === "string" ? one : expect.stringMatching(one)));
    expect(await lab.kernel.addresses(container, ifName)).toEqual(matched);
  }
  expectPassed(await lab.goCni.check(list, container, { ports }));
  await withoutAddresses(lab, container, Object.keys(addresses).at(-1) ?? "", async () => {
    expect(await lab.goCni.check(list, container, { ports })).toMatchObject({ exitCode: 1 });
  });
  expect(await lab.goCni.del(list, container, { ports })).toMatchObject({ exitCode: 0 });
  const links = ["ens18", "ens19", "ens20", "far-ens19", "far-ens20", bridge];
  expect(await leftOfContainers(lab, links)).toEqual([]);
});
