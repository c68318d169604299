import { bridge, macvlan } from "../../e2e/support.ts";
import { firstLine } from "../../support/first-line.ts";
import { multus } from "../../support/go.ts";
import { type Container, Lab } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import { say } from "../../support/progress.ts";
import type { NetworkList } from "../../support/runtime.ts";
import type { Creators, Plugin } from "../compare/contestant.ts";
import { type Contestant, contestantsOf } from "./contestants.ts";
import { type Command, measure, type Run, timingOf } from "./measure.ts";
import { barePlugins } from "./names.ts";
import type { Stage } from "./peers.ts";
import type { Row } from "./report.ts";

/** The chains whose whole CHECK is timed. Each bridge is another one, with its own subnet. */
const chains: readonly { readonly title: string; readonly creators: Creators }[] = [
  { title: "two interfaces", creators: [macvlan, bridge] },
  { title: "four interfaces", creators: [macvlan, bridge, ...[1, 2].map(anotherBridge)] },
  { title: "eight interfaces", creators: [macvlan, bridge, ...[1, 2, 3, 4, 5, 6].map(anotherBridge)] },
];

function anotherBridge(number: number): Plugin {
  const ipam = { type: "host-local", ranges: [[{ subnet: `172.27.${number}.0/24` }]] };
  return { type: "bridge", bridge: `disc${number}`, isGateway: true, ipam };
}

/** Times whole CHECKs of real attachments through go-cni. */
export async function timeChains(stage: Stage, runs: number) {
  const missing: string[] = [];
  const multusFile = await multus().catch((error) => {
    missing.push(`multus: ${firstLine(error)}`);
    return undefined;
  });
  const contestants = contestantsOf(stage, multusFile);
  const rows: Row[] = [];
  for (const chain of chains) {
    const found = await timeChain(stage, chain, contestants, runs);
    rows.push(found.row);
    missing.push(...found.missing);
    say(`go-cni CHECK of ${chain.title}: ${runs} runs of each`);
  }
  return { rows, missing };
}

type Chain = (typeof chains)[number];

async function timeChain(stage: Stage, chain: Chain, contestants: readonly Contestant[], runs: number) {
  const { title, creators } = chain;
  const programs = Object.assign({ stopwatch: stage.programs.stopwatch }, ...contestants.map((each) => each.programs));
  await using lab = await Lab.start({ programs });
  await lab.run("mkdir", ["-p", "/var/lib/cni"]);
  const bare = await bareCommands(lab, creators);
  const { commands, missing } = await commandsOf(lab, chain, contestants);
  const measured = await measure((plan) => clockIn(lab, plan), [...bare, ...commands], runs);
  const together = timingOf(barePlugins, sumOf(measured.slice(0, bare.length)));
  const others = commands.map(({ name }, index) => timingOf(name, measured[bare.length + index]));
  return { row: { title, timings: [together, ...others] }, missing };
}

/** The commands of the contestants that pass, and the reasons why the others fail. */
async function commandsOf(lab: Lab, { title, creators }: Chain, contestants: readonly Contestant[]) {
  const commands: (Command & { readonly name: string })[] = [];
  const missing: string[] = [];
  for (const contestant of contestants) {
    const { name } = contestant;
    try {
      commands.push({ name, ...(await contestantCommand(lab, contestant, creators)) });
    } catch (error) {
      missing.push(`${name}, go-cni CHECK of ${title}: ${firstLine(error)}`);
    }
  }
  return { commands, missing };
}

async function* clockIn(lab: Lab, plan: string): AsyncIterable<string> {
  await lab.writeFile("/run/lab/plan.json", plan);
  yield* (await lab.run("/run/lab/programs/stopwatch", ["/run/lab/plan.json"])).split("\n").filter(Boolean);
}

function sumOf(measured: readonly (readonly Run[])[]): Run[] {
  const [first = []] = measured;
  return first.map((_, round) => {
    const runs = measured.flatMap((each) => each[round] ?? []);
    return { wallMs: total(runs.map((run) => run.wallMs)), cpuMs: total(runs.map((run) => run.cpuMs)) };
  });
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}

const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
const name = "zone";

/**
 * The plugins alone: the driver once with a list that it does not check, and each plugin's own CHECK, called as libcni
 * calls it, of an attachment that has no other plugin.
 */
async function bareCommands(lab: Lab, creators: readonly Plugin[]): Promise<Command[]> {
  const commands = [];
  for (const [index, creator] of creators.entries()) commands.push(await bareCommand(lab, creator, `bare-${index}`));
  const list = { cniVersion: "1.0.0", name, disableCheck: true, plugins: [creators[0]] };
  return [await driverCommand(lab, list, Lab.pluginPath, "bare-0", "driver"), ...commands];
}

async function bareCommand(lab: Lab, creator: Plugin, id: string): Promise<Command> {
  const list: NetworkList = { cniVersion: "1.0.0", name, plugins: [creator] };
  const container = await lab.addContainer(id);
  const { raw } = JSON.parse(must(await lab.goCni.add(list, container)));
  const stdin = `/run/lab/${id}.json`;
  const request = { cniVersion: "1.0.0", name, ...creator, prevResult: { ...raw[0], cniVersion: "1.0.0" } };
  await lab.writeFile(stdin, JSON.stringify(request));
  const env = {
    ...environment,
    CNI_COMMAND: "CHECK",
    CNI_CONTAINERID: id,
    CNI_NETNS: container.netns,
    CNI_IFNAME: "eth0",
    CNI_PATH: Lab.pluginPath,
  };
  return { argv: [`${Lab.pluginPath}/${creator.type}`], env, stdin };
}

/** Attaches a container in a contestant's way. Throws if CHECK fails, or if it does not see what the list promises. */
async function contestantCommand(lab: Lab, contestant: Contestant, creators: Creators): Promise<Command> {
  const { pluginPath } = contestant;
  await contestant.install(lab);
  const list = contestant.list(creators);
  const check = (container: Container) => lab.goCni.check(list, container, { pluginPath });
  const attach = async (id: string): Promise<Container> => {
    const container = await lab.addContainer(id);
    must(await lab.goCni.add(list, container, { pluginPath }));
    must(await check(container));
    return container;
  };
  const lacking = await attach(`${contestant.id}-lacks`);
  const links = (await lab.kernel.linkNames(lacking)).filter((link) => link !== "lo");
  if (links.length !== creators.length) throw new Error(`the container has ${links.join(", ")}`);
  for (const link of links) await expectLossSeen(lab, lacking, link, async () => (await check(lacking)).exitCode === 0);
  must(await check(lacking));
  await attach(contestant.id);
  return await driverCommand(lab, list, pluginPath, contestant.id, contestant.id);
}

/**
 * Takes a link's address, and gives it back. Throws if CHECK passes in between: each interface must be checked. The link
 * keeps its routes, because it always has some address.
 */
async function expectLossSeen(lab: Lab, container: Container, link: string, passes: () => Promise<boolean>) {
  const ip = (...args: string[]) => lab.ip(container, ...args);
  const change = (what: "add" | "delete", address: string) => ip("address", what, address, "dev", link);
  const [shown] = JSON.parse(await ip("-4", "-json", "address", "show", "dev", link));
  const [{ local, prefixlen }] = shown.addr_info;
  await change("add", "192.0.2.1/32");
  await change("delete", `${local}/${prefixlen}`);
  if (await passes()) throw new Error(`CHECK passes although ${link} lost its address`);
  await change("add", `${local}/${prefixlen}`);
  await change("delete", "192.0.2.1/32");
}

async function driverCommand(lab: Lab, conflist: object, pluginPath: string, id: string, file: string) {
  const stdin = `/run/lab/${file}-request.json`;
  const request = { pluginPath, conflist, id, netns: `/run/netns/${id}` };
  await lab.writeFile(stdin, JSON.stringify(request));
  return { argv: ["/run/lab/drivers/gocni", "check"], env: environment, stdin };
}
