import { expect, test } from "vitest";
import { Lab, type Outcome } from "../support/lab.ts";
import { normalise } from "../support/normalise.ts";
import type { AttachOptions, NetworkList, Runtime } from "../support/runtime.ts";
import { snapshot, withoutRecords } from "../support/snapshot.ts";
import { checkVersions, hostLocal, inTurn, wrapped, zone } from "./support.ts";

// A wrapped chain with one interface gives the same result, kernel state and errors as the plain chain.

type Plugin = Record<string, unknown>;

interface Chain {
  readonly title: string;
  readonly plugins: readonly Plugin[];
  readonly versions: readonly string[];
  readonly options?: AttachOptions;
  /** What the wrapper itself says to a second ADD, before its plugin frees the lease of the first one. */
  readonly again?: RegExp;
}

const everyVersion = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

const dualStack = { type: "host-local", ranges: [[{ subnet: "172.26.64.0/20" }], [{ subnet: "fd00:26::/64" }]] };
const defaultRoutes = [{ dst: "0.0.0.0/0" }, { dst: "::/0" }];

const chains: readonly Chain[] = [
  {
    title: "[bridge] that masquerades",
    versions: everyVersion,
    plugins: [
      {
        type: "bridge",
        bridge: "disc0",
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        dns: { nameservers: ["10.20.0.1"], search: ["example.org"] },
        ipam: hostLocal("10.20.0.0/24", { dst: "0.0.0.0/0" }, { dst: "10.99.0.0/16", gw: "10.20.0.7" }),
      },
    ],
  },
  {
    // The next chain has the versions with CHECK.
    title: "[macvlan]",
    versions: ["0.1.0", "0.2.0", "0.3.1"],
    plugins: [
      {
        type: "macvlan",
        master: "uplink0",
        mode: "private",
        mtu: 1400,
        dns: { nameservers: ["172.16.5.1"] },
        ipam: hostLocal("172.16.5.0/24", { dst: "0.0.0.0/0" }),
      },
    ],
  },
  {
    title: "[macvlan, tuning], IP and MAC asked for",
    versions: checkVersions,
    options: { labels: { IgnoreUnknown: "true", IP: "172.16.5.77", MAC: "02:00:00:00:00:77", NOMAD_JOB_ID: "web" } },
    plugins: [
      { type: "macvlan", master: "uplink0", ipam: hostLocal("172.16.5.0/24") },
      { type: "tuning", sysctl: { "net.ipv4.conf.IFNAME.arp_filter": "1" }, mtu: 1300 },
    ],
  },
  {
    title: "Nomad's own: bridge, firewall, portmap",
    versions: checkVersions,
    options: {
      labels: { IgnoreUnknown: "true", NOMAD_JOB_ID: "web" },
      ports: [
        { hostPort: 25649, containerPort: 8080, protocol: "tcp" },
        { hostPort: 25649, containerPort: 8080, protocol: "udp" },
      ],
    },
    plugins: [
      { type: "loopback" },
      {
        type: "bridge",
        bridge: "nomad",
        ipMasq: true,
        isGateway: true,
        forceAddress: true,
        hairpinMode: false,
        ipam: { ...dualStack, routes: defaultRoutes, dataDir: "/run/cni" },
      },
      { type: "firewall", backend: "iptables", iptablesAdminChainName: "NOMAD-ADMIN" },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  },
  {
    title: "[ptp, tuning] that masquerades",
    versions: ["1.1.0"],
    again: /^plugin type="ptp" failed \(add\): interface name eth0 is taken;/,
    plugins: [
      { type: "ptp", ipMasq: true, mtu: 1400, ipam: { ...dualStack, routes: defaultRoutes } },
      { type: "tuning", mac: "02:00:00:00:00:77", promisc: true, allmulti: true, txQLen: 500 },
    ],
  },
];

const passed = { exitCode: 0 };
const cases = chains.flatMap((chain) =>
  chain.versions.map((cniVersion) => ({ title: chain.title, chain, cniVersion })),
);

test.each(inTurn(cases))(
  "$title, $cniVersion: wrapped is as plain in a container's life ($plugins, $runtime)",
  async (given) => {
    const { chain, cniVersion, plugins, runtime } = given;
    const told = async (entries: readonly Plugin[]) => {
      await using lab = await Lab.start({ plugins });
      const events = await story(lab, lab[runtime], zone(cniVersion, ...entries), chain.options);
      return normalise(events, { keep: ["02:00:00:00:00:77"] });
    };
    const [plain, inside] = await Promise.all([told(chain.plugins), told(chain.plugins.map(wrapAll))]);
    // If the plain list is wrong, both fail in the same way, and nothing is compared.
    expect(plain).toMatchObject({ attach: passed, detach: passed, attachAnew: passed });
    const attachAgain = { ...plain.attachAgain, stderr: expect.stringMatching(chain.again ?? "") };
    expect(inside).toEqual(chain.again ? { ...plain, attachAgain } : plain);
  },
);

/** A runtime's calls during a container's life with their answers, and the state after each call that may change it. */
async function story(lab: Lab, runtime: Runtime, list: NetworkList, options?: AttachOptions) {
  const container = await lab.addContainer("c1");
  const told = async (verb: "add" | "check" | "del") => withPlainNames(await runtime[verb](list, container, options));
  return {
    attach: await told("add"),
    attached: withoutRecords(await snapshot(lab, container)),
    check: await told("check"),
    attachAgain: await told("add"),
    stillAttached: withoutRecords(await snapshot(lab, container)),
    detach: await told("del"),
    detached: await snapshot(lab, container),
    checkAgain: await told("check"),
    detachAgain: await told("del"),
    attachAnew: await told("add"),
    attachedAnew: withoutRecords(await snapshot(lab, container)),
  };
}

/** libcni names the entry of the list that failed. The wrapper's name differs there, as it should. */
function withPlainNames(outcome: Outcome): Outcome {
  return { ...outcome, stderr: outcome.stderr.replaceAll(/(type="\w+)-wrapper"/g, '$1"') };
}

function wrapAll(plugin: Plugin): Plugin {
  return plugin.type === "loopback" ? plugin : wrapped(plugin);
}
