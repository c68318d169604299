import { Lab, type Outcome } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { callPlugin } from "../support/plugin-call.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectSuccess, expectUndone } from "./calls.ts";
import { bridge, portmap, published, wrapped, zone } from "./support.ts";

// Calls that the plain plugins accept, although a wrapper cannot narrow their prevResult in the usual way.

const tuning = { type: "tuning", mtu: 1400 };
const web = published(25080);

describe.each(["0.1.0", "0.2.0"])("cniVersion %s, whose results list no interfaces", (cniVersion) => {
  const chain = [bridge, tuning, portmap];

  test("a list of plugins that make one interface together works in the same way wrapped and plain", async () => {
    const plain = await story(zone(cniVersion, ...chain));
    expect(plain.rules).toContainEqual(expect.stringContaining("--to-destination 172.26.64.2:80"));
    expect(await story(zone(cniVersion, ...chain.map((plugin) => wrapped(plugin))))).toEqual(plain);
  });

  test("DEL with a prevResult answers as the plain plugin does, also under another name", async ({
    lab,
    container,
  }) => {
    const prevResult = { cniVersion, ip4: { ip: "172.26.64.2/20", gateway: "172.26.64.1" }, dns: {} };
    for (const { type, ...rest } of [...chain, { type: "macvlan", master: "uplink0" }, { type: "sbr" }]) {
      const config = { ...rest, cniVersion, name: "zone", prevResult };
      const del = (plugin: string, more: object = {}) =>
        callPlugin(lab, container, { plugin, config: { ...config, ...more }, env: { CNI_COMMAND: "DEL" } });
      const plain = await del(String(type));
      expect(plain.exitCode).toBe(0);
      expect(answer(await del(`${type}-wrapper`))).toEqual(answer(plain));
      expect(answer(await del(`${type}-wrapper`, { wrapper: { ifName: "eth1" } }))).toEqual(answer(plain));
    }
  });

  async function story(list: NetworkList) {
    await using lab = await Lab.start();
    const container = await lab.addContainer("c1");
    const result = JSON.parse(expectSuccess(await lab.cnitool.add(list, container, web)));
    const rules = await lab.kernel.packetRules();
    const { mtu } = await lab.kernel.link(container, "eth0");
    expectSuccess(await lab.cnitool.del(list, container, web));
    expect(await lab.kernel.leases()).toEqual([]);
    return { result, rules, mtu, left: await lab.kernel.packetRules() };
  }
});

describe("an address whose interface is outside the list", () => {
  test("reaches sbr, wrapped and plain", async ({ lab }) => {
    const outcomes = [];
    for (const plugin of ["sbr", "sbr-wrapper"]) {
      const container = await attached(lab, lab.goCni, zone(bridge), plugin);
      const prevResult = withIndex(await lab.kernel.cachedResult("zone", plugin), 9);
      const config = { cniVersion: "1.0.0", name: "zone", prevResult };
      const added = await callPlugin(lab, container, { plugin, config });
      const table = await lab.ip(container, "-4", "route", "show", "table", "100");
      const [checked, deleted] = [
        await callPlugin(lab, container, { plugin, config, env: { CNI_COMMAND: "CHECK" } }),
        await callPlugin(lab, container, { plugin, config, env: { CNI_COMMAND: "DEL" } }),
      ];
      expect(JSON.parse(added.stdout)).toEqual(prevResult);
      outcomes.push({ codes: [added, checked, deleted].map(({ exitCode }) => exitCode), table: withoutHost(table) });
    }
    expect(outcomes[0]?.codes).toEqual([0, 0, 0]);
    expect(outcomes[0]?.table).toContain("172.26.64.0/20 dev eth0");
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  test("passes CHECK if it is -1, with which a plugin says none", async ({ lab }) => {
    await lab.writeScript(
      "/opt/cni/bin/early",
      `#!/bin/sh
answer=$(jq '.type = "bridge"' | /opt/cni/bin/bridge)
code=$?
echo "$answer" | jq 'if .ips then .ips[].interface = -1 else . end'
exit $code\n`,
    );
    const early = { ...bridge, type: "bridge-wrapper", wrapper: { delegate: "early", role: "creator" } };
    for (const plugin of [{ ...bridge, type: "early" }, early]) {
      const list = zone(plugin);
      const container = await lab.addContainer(plugin.type);
      const { ips } = JSON.parse(expectSuccess(await lab.cnitool.add(list, container)));
      expect(ips).toMatchObject([{ interface: -1 }]);
      expectSuccess(await lab.cnitool.check(list, container));
      await lab.ip(container, "address", "flush", "dev", "eth0");
      const lost = /Failed to match addr 172\.26\.64\.\d\/20 on interface eth0/;
      expectFailure(await lab.cnitool.check(list, container), lost);
      expectSuccess(await lab.cnitool.del(list, container));
    }
  });

  test("is an error if the others must be re-indexed", async ({ lab }) => {
    const container = await attached(lab, lab.goCni, zone(wrapped(bridge), wrapped({ type: "tap" }, "eth1")));
    const prevResult = withIndex(await lab.kernel.cachedResult("zone", "c1"), 9);
    const outcome = await callPlugin(lab, container, {
      plugin: "sbr-wrapper",
      config: { cniVersion: "1.0.0", name: "zone", prevResult },
    });
    expect(outcome.exitCode).toBe(1);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 7, msg: expect.stringContaining("outside the list") });
  });
});

// Calico reports its host-side interface and the address, and no container interface.
describe.each([
  { address: "without an index", index: "", runtime: "goCni", published: true },
  // go-cni needs an address for eth0. portmap does not publish to an address of a host-side interface.
  { address: "of its host-side interface", index: '"interface": 0, ', runtime: "cnitool", published: false },
] as const)("after a plugin that reports no container interface and an address $address", (given) => {
  const { index, runtime, published } = given;
  const second = wrapped(bridge, "eth1");
  const destination = "--to-destination 10.60.0.2:80";

  test("another creator's CHECK passes, and sees a loss", async ({ lab }) => {
    await installHostSide(lab, index);
    const list = zone({ type: "host-side" }, second);
    const container = await attached(lab, lab[runtime], list);
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["10.60.0.2/32"]);
    expectSuccess(await lab[runtime].check(list, container));
    await lab.ip(container, "address", "del", "172.26.64.2/20", "dev", "eth1");
    const lost = "Failed to match addr 172.26.64.2/20 on interface eth1";
    expectFailure(await lab[runtime].check(list, container), lost);
    await expectUndone(lab, list, container, ["disc0"], lab[runtime]);
  });

  test("portmap for eth0 does what the plain one does without eth1", async () => {
    const rulesOf = async (...behind: Record<string, unknown>[]): Promise<string[]> => {
      await using lab = await Lab.start();
      await installHostSide(lab, index);
      const list = zone({ type: "host-side" }, ...behind);
      const container = await attached(lab, lab[runtime], list, "c1", web);
      expectSuccess(await lab[runtime].check(list, container, web));
      const rules = await lab.kernel.packetRules();
      expectSuccess(await lab[runtime].del(list, container, web));
      expect(await lab.kernel.leases()).toEqual([]);
      return rules;
    };
    const plain = await rulesOf(portmap);
    expect(plain.some((rule) => rule.includes(destination))).toBe(published);
    expect(await rulesOf(second, wrapped(portmap))).toEqual(plain);
    expect(await rulesOf(wrapped(portmap))).toEqual(plain);
  });
});

/** Installs a plugin that makes eth0 as Calico does: it reports only the host's end of the veth pair. */
async function installHostSide(lab: Lab, index: string): Promise<void> {
  const result = `{"cniVersion": "1.0.0", "interfaces": [{"name": "cali0"}], "ips": [{${index}"address": "10.60.0.2/32"}]}`;
  const script = `#!/bin/sh
set -e
case $CNI_COMMAND in
ADD)
  ip link add cali0 type veth peer name "$CNI_IFNAME" netns "\${CNI_NETNS##*/}"
  ip -n "\${CNI_NETNS##*/}" address add 10.60.0.2/32 dev "$CNI_IFNAME"
  ip link set cali0 up
  echo '${result}'
  ;;
DEL) ip link del cali0 ;;
esac
`;
  await lab.writeScript("/opt/cni/bin/host-side", script);
}

function withIndex<T extends { readonly ips?: readonly object[] }>(result: T, index: number): T {
  return { ...result, ips: result.ips?.map((ip) => ({ ...ip, interface: index })) };
}

function answer({ exitCode, stdout }: Outcome) {
  return { exitCode, stdout };
}

/** The text without the addresses that differ from container to container. */
function withoutHost(text: string): string {
  return text.replaceAll(/src \S+/g, "src ADDRESS");
}
