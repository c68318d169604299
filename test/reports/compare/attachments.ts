import { bridge, macvlan } from "../../e2e/support.ts";
import { leftovers } from "../../support/leftovers.ts";
import type { Contestant, Creators } from "./contestant.ts";
import { type Cell, cellOf, must, type Row, type Scene, secondName, setScene } from "./row.ts";

/** The two interfaces of most questions. */
export const creators: Creators = [macvlan, bridge];

export const add: Row = {
  title: "ADD of two interface plugins",
  needsAdd: false,
  measure: async (contestant) => {
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
  },
};

async function measureAdd(contestant: Contestant): Promise<Cell> {
  await using scene = await setScene(contestant);
  const cell = cellOf(await scene.call.add(contestant.list(creators)));
  if (cell.words === "passes") await secondName(scene.lab, scene.container);
  return cell;
}

export const check: Row = {
  title: "CHECK",
  needsAdd: true,
  measure: async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list(creators);
    must(await scene.call.add(list));
    return cellOf(await scene.call.check(list));
  },
};

type Break = (scene: Scene, ifName: string, container: Scene["container"]) => Promise<void>;

const lostAddress: Break = async ({ lab }, ifName, container) => {
  await lab.ip(container, "address", "flush", "dev", ifName);
};

const lostInterface: Break = async ({ lab }, ifName, container) => {
  await lab.ip(container, "link", "delete", ifName);
};

export const addressSeen: Row = seen("CHECK sees a lost address", lostAddress);
export const interfaceSeen: Row = seen("CHECK sees a lost interface", lostInterface);

function seen(title: string, breakIt: Break): Row {
  return {
    title,
    needsAdd: true,
    measure: async (contestant) => {
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
    },
  };
}

export const del: Row = {
  title: "DEL leaves nothing",
  needsAdd: true,
  measure: async (contestant) => {
    await using scene = await setScene(contestant);
    const list = contestant.list(creators);
    must(await scene.call.add(list));
    return await measureDel(scene, list, ["disc0"]);
  },
};

const masquerading = (name: string, subnet: string) => ({
  type: "bridge",
  bridge: name,
  isGateway: true,
  ipMasq: true,
  ipam: { type: "host-local", ranges: [[{ subnet }]] },
});

/** Both interfaces have their own rules in the host's tables. */
export const masqueradingDel: Row = {
  title: "DEL of two bridges with `ipMasq`",
  needsAdd: true,
  measure: async (contestant) => {
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
