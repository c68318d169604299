import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { leftOfContainers, rulesOfContainers } from "../support/leftovers.ts";
import type { AttachOptions, NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectPassed } from "./calls.ts";
import { failNext, flaky, installFlaky } from "./recovery-support.ts";
import { bridge, firewall, hostLocal, portmap, wrapped, zone } from "./support.ts";

// Later plugins of the list made rules for the addresses of the failed try, so the repaired ADD must keep them.

const front = {
  type: "bridge",
  bridge: "front0",
  isGateway: true,
  ipMasq: true,
  ipam: hostLocal("172.30.0.0/20", { dst: "0.0.0.0/0" }),
};
const creators = [wrapped(front), wrapped(bridge, "eth1")];
const published = [{ hostPort: 25080, containerPort: 80, protocol: "tcp" }] as const;
const bridges = ["front0", "disc0"];

const chains = {
  "firewall and portmap": [firewall, portmap],
  "firewall-wrapper, and portmap-wrapper of eth1": [wrapped(firewall), wrapped(portmap, "eth1")],
} as const;

test.for(Object.entries(chains))(
  "%s: the published port leads to the repaired interface",
  async ([_, metas], { lab, container }) => {
    await installFlaky(lab);
    const list = zone(...creators, ...metas, flaky);
    const neighbour = await attachedNeighbour(lab, list);
    const addresses = await failedTwice(lab, list, container, { ports: published });
    expectPassed(await lab.goCni.add(list, container, { ports: published }));
    expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
    const [target] = addresses[list.plugins[3]?.wrapper ? "eth1" : "eth0"] ?? [];
    await expectRulesFor(lab, Object.values(addresses).flat(), `${target?.split("/")[0]}:80`);
    expect(await answeringAt(lab, container, "172.30.0.1:25080")).toBe(await namespaceOf(lab, container));
    expectPassed(await lab.goCni.check(list, container, { ports: published }));
    expectPassed(await lab.goCni.check(list, neighbour));
    expectPassed(await lab.goCni.del(list, container, { ports: published }));
    expectPassed(await lab.goCni.del(list, neighbour));
    expect(await leftOfContainers(lab, bridges)).toEqual([]);
  },
);

test.for([
  ["portmap", portmap],
  ["portmap-wrapper", wrapped(portmap)],
] as const)(
  "%s with nftables: the published port leads to the repaired interface",
  async ([name, plugin], { lab, container }) => {
    await installFlaky(lab);
    const list = zone(...creators, { ...plugin, backend: "nftables" }, flaky);
    const addresses = await failedTwice(lab, list, container, { ports: published });
    expectPassed(await lab.goCni.add(list, container, { ports: published }));
    expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
    const [target] = addresses.eth0 ?? [];
    const targets = await natTargets(lab);
    expect(new Set(targets)).toEqual(new Set([`${target?.split("/")[0]}:80`]));
    // Without a wrapper the nftables backend adds its rules once for each try.
    expect(targets).toHaveLength(name === "portmap" ? 3 : 1);
    expect(await answeringAt(lab, container, "172.30.0.1:25080")).toBe(await namespaceOf(lab, container));
    expectPassed(await lab.goCni.check(list, container, { ports: published }));
    expectPassed(await lab.goCni.del(list, container, { ports: published }));
    expect(await leftOfContainers(lab, bridges)).toEqual([]);
    expect(await natTargets(lab)).toEqual([]);
  },
);

/** Adds another container of the list. It publishes nothing and takes the first addresses. */
function attachedNeighbour(lab: Lab, list: NetworkList): Promise<Container> {
  return attached(lab, lab.goCni, list, "c2");
}

/** Lets ADD fail twice in the last plugin. Returns the addresses that the first try left. */
async function failedTwice(
  lab: Lab,
  list: NetworkList,
  container: Container,
  options: AttachOptions,
): Promise<Record<string, string[]>> {
  await failNext(lab, 2);
  expectFailure(await lab.goCni.add(list, container, options), /not now/);
  const addresses = await lab.kernel.allAddresses(container);
  expectFailure(await lab.goCni.add(list, container, options), /not now/);
  return addresses;
}

/** Expects each rule once, only addresses of existing interfaces, and a published port that leads to this target. */
async function expectRulesFor(lab: Lab, addresses: readonly string[], target: string): Promise<void> {
  const rules = await rulesOfContainers(lab);
  expect(rules.filter((rule, index) => rules.indexOf(rule) < index)).toEqual([]);
  const targets = rules.flatMap((rule) => /--to-destination (\S+)/.exec(rule)?.[1] ?? []);
  expect(targets).toEqual([target]);
  const neighbours = await lab.call("ip", ["-n", "c2", "-brief", "address"]);
  const known = [...addresses, ...neighbours.stdout.split(/\s+/)].map((address) => address.split("/")[0]);
  const named = rules.flatMap((rule) =>
    [...rule.matchAll(/\b((?:172|10)\.[\d.]+)\/32/g)].map(([, address]) => address),
  );
  expect(named.filter((address) => !known.includes(address))).toEqual([]);
}

async function natTargets(lab: Lab): Promise<string[]> {
  const { stdout } = await lab.call("nft", ["--stateless", "list", "ruleset"]);
  return [...stdout.matchAll(/\bdnat to (\S+)/g)].map(([, target = ""]) => target);
}

/** Starts a server in the container. Returns the namespace that answers at the target. */
async function answeringAt(lab: Lab, { netns }: Container, target: string): Promise<string> {
  void lab.start("nsenter", [`--net=${netns}`, "/run/lab/drivers/echo", "serve", "80"], "/run/lab/echo.log");
  const ask = () => lab.call("/run/lab/drivers/echo", ["ask", "tcp", target]);
  await expect.poll(async () => (await ask()).exitCode).toBe(0);
  return (await ask()).stdout.trim();
}

async function namespaceOf(lab: Lab, { netns }: Container): Promise<string> {
  return `net:[${(await lab.run("stat", ["--format=%i", netns])).trim()}]`;
}
