import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { installFlaky } from "../nomad/scripts.ts";
import { creators } from "./attachments.ts";
import { cellOf, must, type Row, setScene } from "./row.ts";

/** A runtime that tries ADD again runs no DEL before. */
export const secondAdd: Row = {
  title: "second ADD, after a later plugin failed once",
  needsAdd: true,
  measure: async (contestant) => {
    await using scene = await setScene(contestant);
    await installFlaky(scene.lab);
    const list = contestant.list(creators, { type: "flaky" });
    const { exitCode, stderr } = await scene.call.add(list);
    if (exitCode === 0 || !stderr.includes("not now"))
      throw new Error(`the first ADD was to fail at the end: ${stderr}`);
    return cellOf(await scene.call.add(list));
  },
};

/** The namespaces and links are gone; what is on the disk is still there, leases among it. */
export const afterReboot: Row = {
  title: "ADD after a reboot that left the leases",
  needsAdd: true,
  measure: async (contestant) => {
    const disk = await mkdtemp(path.join(tmpdir(), "cni-wrappers-compare-"));
    try {
      const list = contestant.list(creators);
      {
        await using before = await setScene(contestant, disk);
        must(await before.call.add(list));
      }
      await using after = await setScene(contestant, disk);
      return cellOf(await after.call.add(list));
    } finally {
      await rm(disk, { recursive: true, force: true });
    }
  },
};
