import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import type { NetworkList, Runtime } from "../support/runtime.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { bridge, hostLocal, portmap, wrapped, zone } from "./support.ts";

// One container publishes ports on two interfaces. `ports` or a jq program divides the ports.

const leaveOut = (condition: string) => ({
  jq: `del(.runtimeConfig.portMappings[]? | select((.containerPort // .ContainerPort) ${condition}))`,
});
const listOf = (eth0: object, eth1: object) =>
  zone(
    wrapped(bridge),
    wrapped({ type: "ptp", ipam: hostLocal("10.50.0.0/24") }, "eth1"),
    { type: "firewall", backend: "iptables" },
    { ...wrapped(portmap), wrapper: eth0 },
    { ...wrapped(portmap), wrapper: { ifName: "eth1", ...eth1 } },
    { ...wrapped({ type: "tuning", mtu: 1400 }), wrapper: { ifName: "eth1" } },
  );
const list = listOf({ ports: { except: [443] } }, { ports: { only: ["443-444"] } });
const byJq = listOf(leaveOut("== 443"), leaveOut("!= 443"));
const hasJq = process.env.CNI_WRAPPERS_FLAVOR !== "slim";
const ports = (["tcp", "udp"] as const).flatMap((protocol) => [
  { hostPort: 25080, containerPort: 80, protocol },
  { hostPort: 25443, containerPort: 443, protocol },
]);

test("by ports: each port answers by tcp and udp, through its own interface only", ({ lab }) =>
  expectDivided(lab, lab.cnitool, list));

test("by jq: the same with the Node flavor, and an error of ADD with the slim one", ({ lab }) =>
  hasJq ? expectDivided(lab, lab.goCni, byJq) : expectRefused(lab, byJq));

async function expectRefused(lab: Lab, list: NetworkList): Promise<void> {
  const container = await lab.addContainer("c1");
  const message = /wrapper\.jq is not available in this build: use the Node flavor; /;
  expectFailure(await lab.goCni.add(list, container, { ports }), message);
  expect((await lab.kernel.packetRules()).filter((rule) => rule.includes("-j DNAT"))).toEqual([]);
  expectSuccess(await lab.goCni.del(list, container, { ports }));
  expect(await lab.kernel.leases()).toEqual([]);
}

async function expectDivided(lab: Lab, runtime: Runtime, list: NetworkList): Promise<void> {
  const container = await attached(lab, runtime, list, "c1", { ports });
  const answers = await ask(lab, container, [25080, 25443]);
  expect(answers).toEqual({
    "tcp 25080": "172.26.64.2:80",
    "udp 25080": "172.26.64.2:80",
    "tcp 25443": "10.50.0.2:443",
    "udp 25443": "10.50.0.2:443",
  });
  expectSuccess(await runtime.check(list, container, { ports }));

  const chains = (await lab.kernel.packetRules()).filter((rule) => /^:CNI-DN-/.test(rule));
  expect(chains).toHaveLength(2);
  expectSuccess(await runtime.del(list, container, { ports }));
  const left = (await lab.kernel.packetRules()).filter((rule) => /CNI-DN-|DNAT --to|\b(172|10)\.\d+\./.test(rule));
  expect(left).toEqual([]);
}

test("CHECK fails when the port of one interface leads nowhere", async ({ lab }) => {
  const container = await attached(lab, lab.goCni, list, "c1", { ports });
  const rule = (await lab.kernel.packetRules()).find(
    (text) => text.includes("-p udp") && text.includes("to-destination 10.50.0.2:443"),
  );
  await lab.run("iptables", ["--table", "nat", ...(rule ?? "").replace("-A", "-D").split(" ")]);
  expectFailure(await lab.goCni.check(list, container, { ports }), /^could not check ipv4 dnat: /);
});

test("a portmap without a port does nothing, and passes ADD, CHECK and DEL", async ({ lab, container }) => {
  const none = listOf({}, { ports: { only: ["1-79"] } });
  expectSuccess(await lab.goCni.add(none, container, { ports }));
  const targets = (await lab.kernel.packetRules()).filter((rule) => rule.includes("-j DNAT"));
  expect(targets).toHaveLength(ports.length);
  expect(targets.filter((rule) => rule.includes("10.50.0.2"))).toEqual([]);
  expectSuccess(await lab.goCni.check(none, container, { ports }));
  expectSuccess(await lab.goCni.del(none, container, { ports }));
});

test("DEL removes what was published when the list left the port to the interface", async ({ lab }) => {
  const container = await attached(lab, lab.goCni, list, "c1", { ports });
  const changed = listOf({ ports: { only: [443] } }, { ports: { except: [80, 443] } });
  expectSuccess(await lab.goCni.del(changed, container, { ports }));
  expect((await lab.kernel.packetRules()).filter((rule) => rule.includes("-j DNAT"))).toEqual([]);
});

/**
 * Asks each of the host's ports, by tcp and by udp. Returns the container's address that answers. The container has one
 * server for each address, port and protocol, so that an answer tells the interface.
 */
async function ask(lab: Lab, container: Container, hostPorts: number[]): Promise<Record<string, string>> {
  const server = `
    for (const address of ["172.26.64.2", "10.50.0.2"]) for (const port of [80, 443]) {
      const words = address + ":" + port;
      require("net").createServer((client) => client.end(words)).listen(port, address);
      const socket = require("dgram").createSocket("udp4");
      socket.on("message", (_, from) => socket.send(words, from.port, from.address)).bind(port, address);
    }`;
  const client = `
    const answers = {};
    const note = (name) => (answer) => {
      answers[name] ??= String(answer);
      if (Object.keys(answers).length === ${hostPorts.length * 2}) { process.stdout.write(JSON.stringify(answers)); process.exit(0); }
    };
    for (const port of ${JSON.stringify(hostPorts)}) {
      const host = port === 25443 ? "10.50.0.1" : "172.26.64.1";
      const connect = () => require("net").connect(port, host).on("data", note("tcp " + port)).on("error", () => setTimeout(connect, 50));
      connect();
      const socket = require("dgram").createSocket("udp4").on("message", note("udp " + port));
      setInterval(() => socket.send("?", port, host), 100);
    }
    setTimeout(() => { process.stdout.write(JSON.stringify(answers)); process.exit(0); }, 10000)`;
  const script = `nsenter --net="$1" "$0" -e "$2" & "$0" -e "$3"; kill $!`;
  return JSON.parse(await lab.run("sh", ["-c", script, "/run/lab/node", container.netns, server, client]));
}
