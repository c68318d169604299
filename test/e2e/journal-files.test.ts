import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { creators, journals } from "./recovery-support.ts";
import { wrapped } from "./support.ts";

describe("the journals", () => {
  test("are one for each attachment, and DEL removes them", async ({ lab }) => {
    const list = creators({}, { ...wrapped({ type: "tuning" }), wrapper: { role: "meta", ifName: "eth1" } });
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
    expectSuccess(await lab.goCni.del(list, container));
    expect(await lab.kernel.journals()).toEqual([]);
  });

  test("of invalid attachments are removed by GC, with their leases", async ({ lab }) => {
    const list = { ...creators(), cniVersion: "1.1.0" };
    const container = await attached(lab, lab.goCni, list, "c1");
    await attached(lab, lab.goCni, list, "c2");
    // libcni runs DEL for the attachments in its cache: it forgot c1.
    await lab.run("rm", ["/var/lib/cni/results/zone-c1-eth0"]);
    const gc = () => lab.goCni.gc(list, [{ containerID: "c2", ifname: "eth0" }]);
    expectSuccess(await gc());
    // Its namespace still exists, so it may belong to another runtime.
    expect(await lab.kernel.journals()).toHaveLength(2);
    await lab.deleteNamespace(container);
    expectSuccess(await gc());
    expect(await lab.kernel.journals()).toEqual(["c2/zone:eth0"]);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.3", "zone-eth1/172.26.64.3"]);
  });

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
