import { describe, expect, test } from "vitest";
import { type Container, Lab } from "../support/lab.ts";
import type { NetworkList, PortMapping } from "../support/runtime.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { bridge, inTurn, macvlan, portmap, wrapped, zone } from "./support.ts";

/** The port mappings as Nomad passes them: every port as tcp and as udp. */
const ports: PortMapping[] = [
  { hostPort: 25649, containerPort: 8080, protocol: "tcp" },
  { hostPort: 25649, containerPort: 8080, protocol: "udp" },
];

interface Case {
  readonly title: string;
  readonly list: NetworkList;
  readonly published: string;
  /** The host's address through which a client reaches the container. */
  readonly hostAddress: string;
}

const cases: Case[] = [
  {
    title: "[macvlan eth0, bridge eth1, portmap]",
    list: zone(wrapped(macvlan), wrapped(bridge, "eth1"), portmap),
    published: "172.16.5.2",
    hostAddress: "172.16.5.1",
  },
  {
    title: "[bridge eth0, macvlan eth1, portmap]",
    list: zone(wrapped(bridge), wrapped(macvlan, "eth1"), portmap),
    published: "172.26.64.2",
    hostAddress: "172.26.64.1",
  },
];

describe("port mappings", () => {
  test.each(inTurn(cases))(
    "of $title lead to eth0 only, and are gone after DEL ($plugins, $runtime)",
    async (given) => {
      const { plugins, runtime, list, published, hostAddress } = given;
      await using lab = await Lab.start({ plugins });
      // The other end of macvlan's parent: the container's gateway.
      await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
      const container = await attached(lab, lab[runtime], list, "c1", { ports });

      const targets = (await lab.kernel.packetRules()).filter((rule) => rule.includes("-j DNAT"));
      expect(targets.map((rule) => rule.replace(/CNI-DN-[0-9a-f]+/, "CHAIN"))).toEqual([
        `-A CHAIN -p tcp -m tcp --dport 25649 -j DNAT --to-destination ${published}:8080`,
        `-A CHAIN -p udp -m udp --dport 25649 -j DNAT --to-destination ${published}:8080`,
      ]);
      expect(await answerThrough(lab, container, hostAddress)).toBe(published);
      expectSuccess(await lab[runtime].check(list, container, { ports }));

      expectSuccess(await lab[runtime].del(list, container, { ports }));
      const left = (await lab.kernel.packetRules()).filter((rule) => /DNAT --to|CNI-DN-|CNI-[0-9a-f]{24}/.test(rule));
      expect(left).toEqual([]);
      expect(await lab.kernel.leases()).toEqual([]);
    },
  );

  test.each(inTurn(cases))("of $title fail CHECK when their rules are gone ($plugins, $runtime)", async (given) => {
    const { plugins, runtime, list } = given;
    await using lab = await Lab.start({ plugins });
    const container = await attached(lab, lab[runtime], list, "c1", { ports });
    expectSuccess(await lab[runtime].check(list, container, { ports }));
    const chain = (await lab.kernel.packetRules()).find((rule) => rule.startsWith(":CNI-DN-"))?.slice(1, -2) ?? "";
    await lab.run("iptables", ["--table", "nat", "--flush", chain]);
    expectFailure(await lab[runtime].check(list, container, { ports }), /^could not check ipv4 dnat: /);
  });
});

/** Connects to the published port from the host. Returns the container's address that answers. */
function answerThrough(lab: Lab, container: Container, hostAddress: string): Promise<string> {
  const server = `require("net").createServer((client) => client.end(client.localAddress)).listen(8080, "0.0.0.0")`;
  const client = `const connect = () => require("net").connect(25649, "${hostAddress}")
    .on("data", (answer) => { process.stdout.write(answer); process.exit(0); })
    .on("error", () => setTimeout(connect, 50));
    connect(); setTimeout(() => process.exit(1), 10000)`;
  const script = `nsenter --net="$1" "$0" -e "$2" & "$0" -e "$3"; kill $!`;
  return lab.run("sh", ["-c", script, "/run/lab/node", container.netns, server, client]);
}
