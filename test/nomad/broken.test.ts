import { describe, expect, test } from "vitest";
import { twoInterfaces } from "../e2e/support.ts";
import { leftovers } from "../support/leftovers.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isFailedAdd, isFailedCheck } from "./log.ts";
import { wrappedTwo } from "./networks.ts";
import { NomadLab } from "./nomad-lab.ts";
import { isSound } from "./survey.ts";
import { judge, soundRun } from "./verdict.ts";

const faults = [
  [
    "a route",
    ["route", "delete", "10.99.0.0/16"],
    /Expected Route \{Dst:\{IP:10\.99\.0\.0 .* not found in routing table/,
  ],
  ["an address", ["address", "delete", "172.26.64.2/20", "dev", "eth1"], /172\.26\.64\.2/],
] as const;

describe("the namespace was made anew while the client was down, and CHECK fails", () => {
  test("nothing runs in the old one: ADD passes, with the addresses that the allocation had", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone", count: 3 }), 3);
    await nomad.restartClient(async () => {
      await nomad.killTasks();
      await nomad.makeNamespacesAnew("job");
    });
    await nomad.untilSound(3);
    const lines = await nomad.logLines();
    expect(new Set(lines.filter(isFailedCheck).map(({ alloc_id }) => alloc_id)).size).toBe(3);
    const after = await nomad.survey("job");
    expect(after.map(({ id, addresses }) => [id, addresses])).toEqual(
      before.map(({ id, addresses }) => [id, addresses]),
    );
    expect(judge(context, before, after)).toMatchObject({ survived: 0, recovered: 3 });
    await nomad.stop("job");
    await expect.poll(() => leftovers(nomad.lab, ["disc0"])).toEqual([]);
  });

  test("a task still runs in the old one: ADD fails, and Nomad replaces the allocation", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    await nomad.run(jobOf({ network: "cni/zone", rescheduled: true }));
    const before = await nomad.survey("job");
    await nomad.restartClient(() => nomad.makeNamespacesAnew("job"));
    await nomad.untilReplaced(before);
    expect(errorsOf((await nomad.logLines()).filter(isFailedAdd))).toContainEqual(
      expect.stringMatching(/duplicate allocation is not allowed/),
    );
    const after = await nomad.survey("job");
    expect(judge(context, before, after)).toMatchObject({ survived: 0, recovered: 1 });
    expect(await nomad.taskCount()).toBe(1);
  });
});

describe("a network broken while the client is down", () => {
  test.for(faults)(
    "%s lost: CHECK says so, the allocation fails, and Nomad replaces it",
    async ([, fault, reason], context) => {
      await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
      const before = await soundRun(nomad, jobOf({ network: "cni/zone", rescheduled: true }), 1);
      await nomad.restartClient(() => nomad.breakFirst(before, fault));
      await nomad.untilReplaced(before);
      expect(errorsOf((await nomad.logLines()).filter(isFailedCheck))).toEqual([expect.stringMatching(reason)]);
      const after = await nomad.survey("job");
      expect(after.every(isSound)).toBe(true);
      expect(judge(context, before, after)).toMatchObject({ survived: 0, recovered: 1 });
      expect(await nomad.taskCount()).toBe(1);
    },
  );

  test('with "recover": "always" the network is made again with the same addresses, and a task that still runs is not in it', async (context) => {
    await using nomad = await NomadLab.start({ networks: [wrappedTwo({ recover: "always" })] });
    await nomad.run(jobOf({ network: "cni/zone" }));
    const before = await nomad.survey("job");
    await nomad.restartClient(() => nomad.breakFirst(before, ["link", "delete", "eth1"]));
    const seconds = await nomad.untilLogged(1, (line) => line["@message"] === "received result from CNI");
    const after = await nomad.survey("job");
    const [old, anew] = [before[0], after[0]];
    expect(anew).toMatchObject({ id: old?.id, pid: old?.pid, startTime: old?.startTime, addresses: old?.addresses });
    expect(anew?.taskNamespace).toBe(old?.taskNamespace);
    expect(anew?.namespace).not.toBe(old?.namespace);
    expect(Object.values(anew?.answers ?? {})).not.toContain(anew?.namespace);
    expect(judge(context, before, after, seconds)).toMatchObject({ survived: 0, recovered: 0 });
    // The setting is for runtimes that restart the task together with its network.
    await nomad.restartTask(old?.id ?? "");
    expect((await nomad.survey("job")).filter(isSound)).toHaveLength(1);
  });
});
