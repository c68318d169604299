import { demandEqual, demandError, type Interface, routesOf } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { demand } from "../specification.ts";
import type { Trial } from "../trial.ts";
import { as } from "./attachments.ts";

const creators = { concerns: "interface", since: "0.3.0", section: "5, ADD Success", level: "MUST" } as const;

/** The rules about one ADD, except for prevResult. */
export const addCases: readonly ConformanceCase[] = [
  {
    ...creators,
    concerns: "all",
    name: "ADD answers with a result of the request's cniVersion",
    sentence: 'The same version supplied on input - the string "1.1.0"',
    check: async (trial) => {
      const { cniVersion } = await trial.add();
      demand(cniVersion === trial.version, `cniVersion ${cniVersion} instead of ${trial.version}`);
    },
  },
  {
    ...creators,
    section: "2, ADD",
    name: "ADD makes the interface CNI_IFNAME in CNI_NETNS",
    sentence: "create the interface defined by `CNI_IFNAME` inside the container at `CNI_NETNS`",
    check: async (trial) => {
      await trial.add(as("blue-0.7"));
      demandEqual((await inside(trial)).includes("blue-0.7"), true, "the namespace has blue-0.7");
      await trial.call("DEL", as("blue-0.7"));
    },
  },
  {
    ...creators,
    name: "the result has the interface, with CNI_NETNS as its sandbox",
    sentence: "For interfaces created inside the container, this should be the value passed via `CNI_NETNS`.",
    check: interfaceOf,
  },
  {
    ...creators,
    name: "the result has every host interface that ADD made",
    sentence: "An array of all interfaces created by the attachment, including any host-level interfaces:",
    check: async (trial) => {
      const before = await trial.lab.kernel.linkNames();
      const { interfaces = [] } = await trial.add();
      const made = (await trial.lab.kernel.linkNames()).filter((name) => !before.includes(name));
      const missing = made.filter((name) => !interfaces.some((each) => each.name === name && !each.sandbox));
      demandEqual(missing, [], "host interfaces that are not in the result");
    },
  },
  {
    ...creators,
    name: "the result has the interface's MAC",
    sentence: "The hardware address of the interface (if applicable).",
    check: async (trial) => {
      const { mac } = await interfaceOf(trial);
      demandEqual(mac, (await trial.lab.kernel.link(trial.container, trial.ifName)).address, "mac");
    },
  },
  {
    ...creators,
    since: "1.1.0",
    name: "the result has the interface's MTU",
    sentence: "The MTU of the interface (if applicable).",
    check: async (trial) => {
      const { mtu } = await interfaceOf(trial);
      demandEqual(mtu, (await trial.lab.kernel.link(trial.container, trial.ifName)).mtu, "mtu");
    },
  },
  {
    ...creators,
    name: "the result has the MAC of each host interface",
    sentence: "The hardware address of the interface (if applicable).",
    check: async (trial) => {
      const { interfaces = [] } = await trial.add();
      const links = await trial.lab.kernel.links();
      const ofHost = interfaces.filter(({ sandbox }) => !sandbox);
      const found = ofHost.map(({ name, mac }) => [name, mac]);
      const wanted = ofHost.map(({ name }) => [name, links.find(({ ifname }) => ifname === name)?.address]);
      demandEqual(found, wanted, "host interfaces with their mac");
    },
  },
  {
    ...creators,
    concerns: "ipam",
    name: "each address names its interface, which has it",
    sentence:
      "the index into the `interfaces` list for a [CNI Plugin Result](#result) indicating which interface this IP configuration should be applied to.",
    check: async (trial) => {
      const { interfaces = [], ips = [] } = await trial.add();
      demand(ips.length > 0, "no addresses");
      const found = await trial.lab.kernel.addresses(trial.container, trial.ifName);
      for (const { address, interface: index = -1 } of ips) {
        demandEqual(interfaces[index]?.name, trial.ifName, `the interface of ${address}`);
        demand(found.includes(address), `${trial.ifName} has ${found} instead of ${address}`);
      }
    },
  },
  {
    ...creators,
    concerns: "ipam",
    until: "0.4.0",
    section: "IPs (0.4.0)",
    name: "each address has its version, 4 or 6",
    sentence: 'either "4" or "6" and corresponds to the IP version of the addresses in the entry.',
    check: async (trial) => {
      const versions = (await trial.add()).ips?.map(({ version }) => version);
      demandEqual(versions, ["4"], "versions");
    },
  },
  {
    ...creators,
    concerns: "ipam",
    name: "the routes of the result are in the namespace",
    sentence: "Routes created by this attachment:",
    check: async (trial) => {
      const routes = routesOf(await trial.add());
      const found = await trial.lab.kernel.routes(trial.container);
      const missing = routes.filter(({ dst }) => !found.some((line) => line.startsWith(word(String(dst)))));
      demandEqual(missing, [], "routes that are missing");
    },
  },
  {
    ...creators,
    section: "2, ADD",
    name: "ADD refuses a name that the container already has, and leaves that interface",
    sentence:
      "If an interface of the requested name already exists in the container, the CNI plugin MUST return with an error.",
    check: async (trial) => {
      const { lab, container, ifName } = trial;
      await lab.ip(container, "link", "add", ifName, "type", "veth", "peer", "name", "peer9");
      const { ifindex } = await lab.kernel.link(container, ifName);
      demandError(await trial.call("ADD"), "ADD");
      demandEqual((await lab.kernel.link(container, ifName)).ifindex, ifindex, "the interface's index");
    },
  },
  {
    ...creators,
    level: "SHOULD",
    section: "1, Plugin configuration objects",
    name: "the result has the DNS of the configuration",
    sentence: "Plugins that consume any of these configuration keys should respect their intended semantics.",
    check: async (trial) => {
      const dns = { nameservers: ["10.1.0.1"], domain: "a.example", search: ["b.example"], options: ["ndots:2"] };
      demandEqual((await trial.add({ config: { dns } })).dns, dns, "dns");
    },
  },
  {
    ...creators,
    section: "2, ADD",
    name: "ADD to a namespace that does not exist fails",
    sentence: "A plugin must exit with a return code of 0 on success, and non-zero on failure.",
    check: async (trial) => demandError(await trial.call("ADD", { env: { CNI_NETNS: "/run/netns/none" } }), "ADD"),
  },
];

/** The names in the container. */
function inside({ lab, container }: Trial): Promise<string[]> {
  return lab.kernel.linkNames(container);
}

/** A route's destination as ip(8) prints it, with a space behind. */
function word(destination: string): string {
  return destination === "0.0.0.0/0" ? "default " : `${destination} `;
}

async function interfaceOf(trial: Trial): Promise<Interface> {
  const { interfaces = [] } = await trial.add();
  const own = interfaces.find(({ name, sandbox }) => name === trial.ifName && sandbox === trial.container.netns);
  demand(own !== undefined, `interfaces ${JSON.stringify(interfaces)}`);
  return own;
}
