import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hostLocal } from "../../e2e/support.ts";
import { installFlaky } from "../../nomad/scripts.ts";
import type { Link } from "../../support/kernel.ts";
import type { Lab, Outcome } from "../../support/lab.ts";
import { leftovers } from "../../support/leftovers.ts";
import { must } from "../../support/must.ts";
import type { NetworkList } from "../../support/runtime.ts";
import { creators } from "./attachments.ts";
import type { Contestant, Plugin } from "./contestant.ts";
import { firewall, port, portmap, portTargets } from "./results.ts";
import { type Cell, cellOf, quoted, type Rows, type Scene, secondName, setScene } from "./row.ts";

/** What happens after something failed. */
export const recoveryRows: Rows = {
  // A runtime that tries ADD again does not run DEL first.
  "second ADD, after a later plugin failed once": async (contestant) => {
    await using scene = await setScene(contestant);
    await installFlaky(scene.lab);
    const list = contestant.list(creators, { type: "flaky" });
    await mustFail(scene.call.add(list), "not now");
    return cellOf(await scene.call.add(list));
  },
  // Later plugins wrote the addresses of the first try into rules.
  "a published port after a later plugin failed once and ADD was tried again": async (contestant) => {
    await using scene = await setScene(contestant);
    await installFlaky(scene.lab);
    const list = contestant.list(creators, firewall, portmap, { type: "flaky" });
    await mustFail(scene.call.add(list, scene.container, { ports: [port] }), "not now");
    const { exitCode, stderr } = await scene.call.add(list, scene.container, { ports: [port] });
    return exitCode === 0 ? await measurePort(scene, list) : { words: "ADD fails", notes: [quoted(stderr)] };
  },
  // The second creator fails. Then another network attaches under the second interface's name, and ADD is tried again.
  "another network's interface of the same name, after an ADD that failed": async (contestant) => {
    const ifName = await nameOfSecond(contestant);
    const late = contestant.secondType === "bridge" ? withoutBridge : withoutMaster;
    await using scene = await setScene(contestant);
    const { lab, container, call } = scene;
    const list = contestant.list([first, late.plugin]);
    await late.before?.(lab);
    await mustFail(call.add(list), late.fault);
    must(await lab.cnitool.addAs(ifName, other, container));
    const before = await lab.kernel.link(container, ifName);
    await late.repair(lab);
    const { exitCode, stderr } = await call.add(list);
    const after = (await lab.kernel.links(container)).find(({ ifindex }) => ifindex === before.ifindex);
    const answer = exitCode === 0 ? "ADD passes." : `ADD fails: ${quoted(stderr)}`;
    return { words: fateOf(before, after), notes: [answer, ...(late.note ? [late.note] : [])] };
  },
  // A reboot removes the namespaces and links. The files on the disk stay, and so do leases.
  "ADD after a reboot that left the leases": async (contestant) => {
    using disk = mkdtempDisposableSync(path.join(tmpdir(), "cni-wrappers-compare-"));
    const list = contestant.list(creators);
    {
      await using before = await setScene(contestant, disk.path);
      must(await before.call.add(list));
    }
    await using after = await setScene(contestant, disk.path);
    return cellOf(await after.call.add(list));
  },
};

async function measurePort({ lab, container, call }: Scene, list: NetworkList): Promise<Cell> {
  const options = { ports: [port] };
  const [address = ""] = await lab.kernel.addresses(container, "eth0");
  const wanted = `${address.split("/")[0]}:${port.containerPort}`;
  const [target = "nothing"] = await portTargets(lab);
  const check = cellOf(await call.check(list, container, options));
  const del = cellOf(await call.del(list, container, options));
  const left = (await leftovers(lab, ["disc0"])).filter((each) => !isShared(each));
  const isSound = target === wanted && check.words === "passes";
  const found = [
    `The port leads to ${target}, eth0 is ${wanted}`,
    `CHECK ${[check.words, ...(check.notes ?? [])].join(": ")}`,
    `DEL ${[del.words, ...(del.notes ?? [])].join(": ")}`,
    `left after DEL: ${left.length === 0 ? "nothing" : left.map((each) => `\`${each}\``).join(", ")}`,
  ];
  if (isSound && del.words === "passes" && left.length === 0) return { words: "works" };
  return { words: isSound ? "works, with leftovers" : "dead port", notes: [`${found.join("; ")}.`] };
}

/** Whether firewall and portmap make this rule once for all containers: it names no container and no address. */
function isShared(left: string): boolean {
  return left.startsWith("rule ") && !/CNI-DN-|CNI-[0-9a-f]{24}|\b172\.\d+\./.test(left);
}

const other: NetworkList = {
  cniVersion: "1.0.0",
  name: "other",
  plugins: [{ type: "ptp", ipam: hostLocal("10.77.0.0/24") }],
};

/** A second creator that fails before it makes an interface. It passes after a repair on the host. */
interface LateCreator {
  readonly plugin: Plugin;
  readonly fault: string;
  readonly before?: (lab: Lab) => Promise<unknown>;
  readonly repair: (lab: Lab) => Promise<unknown>;
  readonly note?: string;
}

const [first, second] = creators;
const addVeth = (lab: Lab, name: string) => lab.ip(undefined, "link", "add", name, "type", "veth");

const withoutMaster: LateCreator = {
  plugin: { ...first, master: "late0", ipam: hostLocal("172.16.6.0/24") },
  fault: "Link not found",
  repair: async (lab) => {
    await addVeth(lab, "late0");
    await lab.ip(undefined, "link", "set", "late0", "up");
  },
};

const withoutBridge: LateCreator = {
  plugin: second,
  fault: "already exists but is not a bridge",
  before: (lab) => addVeth(lab, "disc0"),
  repair: (lab) => lab.ip(undefined, "link", "delete", "disc0"),
  note: "The script renames only a bridge's interface, so the second creator is a bridge. At first another link has its name.",
};

async function nameOfSecond(contestant: Contestant): Promise<string> {
  await using scene = await setScene(contestant);
  must(await scene.call.add(contestant.list(creators)));
  return await secondName(scene.lab, scene.container);
}

function fateOf(before: Link, after: Link | undefined): string {
  if (after === undefined) return "deleted";
  const isSame = after.ifname === before.ifname && isDeepStrictEqual(after.addr_info, before.addr_info);
  return isSame ? "survives" : "changed";
}

async function mustFail(call: Promise<Outcome>, message: string): Promise<void> {
  const { exitCode, stderr } = await call;
  if (exitCode === 0 || !stderr.includes(message)) throw new Error(`ADD should fail with "${message}": ${stderr}`);
}
