import type { Lab } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import type { PortMapping } from "../../support/runtime.ts";
import { creators } from "./attachments.ts";
import type { Contestant, Way } from "./contestant.ts";
import { type Cell, quoted, type Rows, type Scene, secondName, setScene } from "./row.ts";

interface SetupAnswer {
  readonly raw: readonly { readonly interfaces?: readonly { readonly name: string; readonly sandbox?: string }[] }[];
}

/** The published port, and the plugin that publishes it. */
export const port: PortMapping = { hostPort: 25649, containerPort: 8080, protocol: "tcp" };
export const portmap = { type: "portmap", capabilities: { portMappings: true }, snat: true };
/** A plugin that accepts the traffic of every address. */
export const firewall = { type: "firewall", backend: "iptables" };

/** What a list can ask for, and what is on the host then. */
export const resultRows: Rows = {
  "interfaces in the runtime's result": async (contestant) => {
    await using scene = await setScene(contestant);
    const outcome = await scene.call.add(contestant.list(creators));
    must(outcome);
    const { raw }: SetupAnswer = JSON.parse(outcome.stdout);
    const reported = raw.flatMap(({ interfaces = [] }) => interfaces.filter(({ sandbox }) => sandbox));
    return { words: reported.map(({ name }) => name).join(", ") };
  },
  "port published on the second interface": (contestant) => firstWayThatWorks(contestant, portmap, tryPort),
  "firewall rules for the second interface": (contestant) => firstWayThatWorks(contestant, firewall, tryFirewall),
  "name of the second interface": async (contestant) => {
    const asked = "lan0";
    const { title, list, prepare } = contestant.naming(creators, asked);
    await using scene = await setScene(contestant);
    await prepare?.(scene.lab);
    must(await scene.call.add(list));
    const found = await secondName(scene.lab, scene.container);
    return { words: found === asked ? `chosen ${title}` : `always ${found}` };
  },
  "files on the host, without libcni's and host-local's": async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list(creators);
    const before = await filesOf(scene.lab);
    must(await scene.call.add(list));
    const kept = (await filesOf(scene.lab)).filter((file) => !before.includes(file) && !expectedState.test(file));
    if (kept.length === 0) return { words: "none" };
    must(await scene.call.del(list));
    const after = await filesOf(scene.lab);
    const left = kept.filter((file) => after.includes(file));
    const places = [...new Set(kept.map(placeOf))].map((place) => `\`${place}\``);
    const end = left.length === 0 ? "all gone after DEL" : `${left.length} of them still there after DEL`;
    return { words: String(kept.length), notes: [`In ${places.join(", ")}, ${end}.`] };
  },
};

/** Tries the ways in order. Returns the words for the first way that works, with notes about the ways before it. */
async function firstWayThatWorks(
  contestant: Contestant,
  meta: Record<string, unknown>,
  attempt: (scene: Scene, way: Way) => Promise<string>,
): Promise<Cell> {
  const notes: string[] = [];
  for (const way of contestant.onSecond(creators, meta)) {
    await using scene = await setScene(contestant);
    const problem = await attempt(scene, way);
    notes.push(`\`${meta.type}\` ${way.title}: ${problem || "works, and is gone after DEL"}.`);
    // The ordinary way needs no note if it works.
    if (problem === "") return { words: "yes", notes: notes.length === 1 ? [] : notes };
  }
  return { words: "no", notes };
}

/** Publishes a port, talks through it, and removes it. Returns the problem, if there is one. */
async function tryPort({ lab, container, call }: Scene, { list }: Way): Promise<string> {
  // The other end of macvlan's parent. Through it, the host can be reached from outside.
  await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
  const options = { ports: [port] };
  const added = await call.add(list, container, options);
  if (added.exitCode !== 0) return `ADD fails: ${quoted(added.stderr)}`;
  const ifName = await secondName(lab, container);
  const [address = ""] = await lab.kernel.addresses(container, ifName);
  const targets = await portTargets(lab);
  const wanted = `${address.split("/")[0]}:${port.containerPort}`;
  if (targets.join() !== wanted)
    return `the port leads to ${targets.join(" and ") || "nothing"}, ${ifName} is ${wanted}`;
  if (!(await isAnswered(lab, container.netns))) return "the port passes no traffic";
  const checked = await call.check(list, container, options);
  if (checked.exitCode !== 0) return `CHECK fails: ${quoted(checked.stderr)}`;
  const deleted = await call.del(list, container, options);
  if (deleted.exitCode !== 0) return `DEL fails: ${quoted(deleted.stderr)}`;
  return (await portTargets(lab)).length === 0 ? "" : "the port is still there after DEL";
}

/** The targets of published ports in the order of the rules. The first rule for a port counts. */
export async function portTargets(lab: Lab): Promise<string[]> {
  const rules = await lab.kernel.packetRules();
  return rules.flatMap((rule) => / -j DNAT --to-destination (\S+)/.exec(rule)?.[1] ?? []);
}

async function isAnswered(lab: Lab, netns: string): Promise<boolean> {
  const echo = "/run/lab/drivers/echo";
  void lab.start("nsenter", [`--net=${netns}`, echo, "serve", String(port.containerPort)], "/run/lab/echo.log");
  const ask = `for try in 1 2 3 4 5; do ${echo} ask tcp 172.16.5.1:${port.hostPort} && exit 0; sleep 0.2; done; exit 1`;
  return (await lab.call("sh", ["-c", ask])).exitCode === 0;
}

/** Looks for the rules that accept the second interface's traffic. Returns the problem, if there is one. */
async function tryFirewall({ lab, container, call }: Scene, { list }: Way): Promise<string> {
  const added = await call.add(list);
  if (added.exitCode !== 0) return `ADD fails: ${quoted(added.stderr)}`;
  const [address = ""] = await lab.kernel.addresses(container, await secondName(lab, container));
  const isAbout = (rule: string) => rule.startsWith("-A CNI-FORWARD") && rule.includes(`${address.split("/")[0]}/32`);
  if (!(await lab.kernel.packetRules()).some(isAbout)) return "no rule for it";
  const checked = await call.check(list);
  if (checked.exitCode !== 0) return `CHECK fails: ${quoted(checked.stderr)}`;
  const deleted = await call.del(list);
  if (deleted.exitCode !== 0) return `DEL fails: ${quoted(deleted.stderr)}`;
  return (await lab.kernel.packetRules()).some(isAbout) ? "the rules are still there after DEL" : "";
}

/** The directories of libcni and host-local, which every contestant uses. */
const expectedState = /^\/var\/lib\/cni\/(results|networks)\//;

function placeOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/"));
}

async function filesOf(lab: Lab): Promise<string[]> {
  const roots = ["/var/lib", "/var/run/", "/var/cache", "/etc/cni", "/opt"];
  const script = `find ${roots.join(" ")} -type f -not -path '/var/run/lab/*' -not -path '/var/run/netns/*' 2>/dev/null; true`;
  return (await lab.run("sh", ["-c", script])).split("\n").filter(Boolean);
}
