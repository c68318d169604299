import { describe, expect, test } from "../support/lab-test.ts";
import { expectFailure, expectSuccess } from "./calls.ts";
import { creators, journals } from "./recovery-support.ts";

describe("the journals", () => {
  test.for([
    ["is read-only", ["mount", "-t", "tmpfs", "-o", "ro", "lab", journals]],
    ["is full", ["mount", "-t", "tmpfs", "-o", "nr_inodes=1", "lab", journals]],
    ["cannot be made", ["sh", "-c", `rmdir ${journals}; touch ${journals}`]],
  ] as const)(
    "cannot be written because their directory %s: ADD fails, and leaves nothing",
    async ([_, [command, ...args]], { lab, container }) => {
      await lab.run("mkdir", ["-p", journals]);
      await lab.run(command ?? "", args);
      const list = creators();
      expectFailure(await lab.goCni.add(list, container), /error writing the journal; .*E[A-Z]+/);
      expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
      expect(await lab.kernel.leases()).toEqual([]);
      expectSuccess(await lab.goCni.del(list, container));
    },
  );
});
