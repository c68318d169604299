import { bridge, macvlan } from "../../e2e/support.ts";
import { leftovers } from "../../support/leftovers.ts";
import { must } from "../../support/must.ts";
import type { Contestant, Creators } from "./contestant.ts";
import { type Cell, cellOf, type Measure, type Rows, type Scene, secondName, setScene } from "./row.ts";

/** The two interfaces of most questions. */
export const creators: Creators = [macvlan, bridge];

/** Whether a contestant attaches its own list. */
export const add: Measure = async (contestant) => {
  const own = await measureAdd(contestant);
  if (!contestant.alone) return own;
  const alone = await measureAdd(contestant.alone);
  return {
    words: `${alone.words}; ${own.words} with a script`,
    notes: [
      ...(alone.notes ?? []),
      "All other cells in this column use a list with a script before the bridge. The script names its interface and appends its result.",
    ],
  };
};

async function measureAdd(contestant: Contestant): Promise<Cell> {
  await using scene = await setScene(contestant);
  const cell = cellOf(await scene.call.add(contestant.list(creators)));
  if (cell.words === "passes") await secondName(scene.lab, scene.container);
  return cell;
}

type Break = (scene: Scene, ifName: string, container: Scene["container"]) => Promise<void>;

const lostAddress: Break = async ({ lab }, ifName, container) => {
  await lab.ip(container, "address", "flush", "dev", ifName);
};

const lostInterface: Break = async ({ lab }, ifName, container) => {
  await lab.ip(container, "link", "delete", ifName);
};

/** What CHECK sees. */
export const checkRows: Rows = {
  CHECK: async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list(creators);
    must(await scene.call.add(list));
    return cellOf(await scene.call.check(list));
  },
  "CHECK sees a lost address": seen(lostAddress),
  "CHECK sees a lost interface": seen(lostInterface),
};

function seen(breakIt: Break): Measure {
  return async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list(creators);
    must(await scene.call.add(list));
    const names = ["eth0", await secondName(scene.lab, scene.container)];
    const missed: string[] = [];
    for (const ifName of names) {
      const container = await scene.lab.addContainer(`lacks-${ifName}`);
      must(await scene.call.add(list, container));
      must(await scene.call.check(list, container));
      await breakIt(scene, ifName, container);
      // CHECK passed right before, so this result is about the fault.
      if ((await scene.call.check(list, container)).exitCode === 0) missed.push(ifName);
    }
    return { words: `${names.length - missed.length} of ${names.length}` };
  };
}

const masquerading = (name: string, subnet: string) => ({
  type: "bridge",
  bridge: name,
  isGateway: true,
  ipMasq: true,
  ipam: { type: "host-local", ranges: [[{ subnet }]] },
});

/** What DEL leaves. */
export const delRows: Rows = {
  "DEL leaves nothing": async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list(creators);
    must(await scene.call.add(list));
    return await measureDel(scene, list, ["disc0"]);
  },
  // Both interfaces have their own rules in the host's tables.
  "DEL of two bridges with `ipMasq`": async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list([masquerading("disc0", "10.20.0.0/24"), masquerading("disc1", "10.30.0.0/24")]);
    must(await scene.call.add(list));
    const { words, notes = [] } = await measureDel(scene, list, ["disc0", "disc1"]);
    return { words, notes: contestant.twoOfAType ? [...notes, contestant.twoOfAType] : notes };
  },
};

async function measureDel(scene: Scene, list: Parameters<Scene["call"]["del"]>[0], staying: string[]): Promise<Cell> {
  const cell = cellOf(await scene.call.del(list));
  const left = await leftovers(scene.lab, staying);
  if (left.length === 0) return cell;
  const kinds = Map.groupBy(left, (each) => each.split(" ")[0]);
  const counts = [...kinds].map(([kind, each]) => `${kind}: ${each.length}`);
  return { words: `${cell.words}, with leftovers`, notes: [...(cell.notes ?? []), `Left: ${counts.join(", ")}.`] };
}
