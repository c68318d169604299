import { describe, expect, test } from "vitest";
import { bridge, macvlan, zone } from "../e2e/support.ts";
import type { Allocation } from "./api.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isFailedAdd, isFailedCheck, isFailedPrerun } from "./log.ts";
import { joinLayer2, layer2, plainTwo, withStatic } from "./networks.ts";
import { NomadLab } from "./nomad-lab.ts";
import { installScripts, scriptPath } from "./scripts.ts";
import { isSound } from "./survey.ts";
import { judge, soundRun } from "./verdict.ts";

const mergeOnly = { cniPath: scriptPath, prepare: installScripts("merge-only") };
const workaround = { cniPath: scriptPath, prepare: installScripts("workaround") };

describe("without the wrappers", () => {
  test("two creators in a list: no allocation ever starts", async (context) => {
    await using nomad = await NomadLab.start({ networks: [plainTwo] });
    await nomad.register(jobOf({ network: "cni/zone" }));
    const [allocation] = await nomad.untilStatus("failed", 1);
    context.task.meta.verdict = { allocations: 1, survived: 0, recovered: 0 };
    expect(setupFailure(allocation)).toMatch(/"eth0".* already exists/);
    expect(errorsOf((await nomad.logLines()).filter(isFailedAdd))).toHaveLength(3);
  });

  test("a script divides names and results, and narrows nothing: the allocation is lost on restart", async (context) => {
    await using nomad = await NomadLab.start({ networks: [plainTwo], ...mergeOnly });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone" }), 1);
    await nomad.restartClient();
    const [allocation] = await nomad.untilStatus("failed", 1);
    const seconds = await nomad.untilLogged(1, isFailedPrerun);
    const lines = await nomad.logLines();
    expect(errorsOf(lines.filter(isFailedCheck))).toEqual([
      expect.stringMatching(/Failed to match addr .*172\.26\.64\.2.* on interface eth0/),
    ]);
    const [first = "", second = "", third = ""] = errorsOf(lines.filter(isFailedAdd));
    expect(first).toMatch(/172\.16\.5\.2 has been allocated to \S+, duplicate allocation is not allowed/);
    expect([second, third]).toEqual([expect.stringMatching(/file exists/), expect.stringMatching(/file exists/)]);
    expect(setupFailure(allocation)).toMatch(/duplicate allocation is not allowed/);
    expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ survived: 0, recovered: 0 });
  });

  test("the same with static addresses: Nomad says running, and the task is in a namespace without a network", async (context) => {
    const list = zone(withStatic(macvlan, "172.16.5.2/24"), withStatic(bridge, "172.26.64.2/20"));
    await using nomad = await NomadLab.start({ networks: [list], ...mergeOnly });
    await nomad.run(jobOf({ network: "cni/zone" }));
    const before = await nomad.survey("job");
    await nomad.restartClient();
    const seconds = await nomad.untilLogged(1, isFailedCheck);
    await nomad.untilLogged(1, (line) => line["@message"] === "received result from CNI");
    await nomad.untilStatus("running", 1);
    const after = await nomad.survey("job");
    expect(after).toMatchObject([
      { pid: before[0]?.pid, startTime: before[0]?.startTime, addresses: before[0]?.addresses },
    ]);
    expect(after[0]?.taskNamespace).toBe(before[0]?.taskNamespace);
    expect(after[0]?.namespace).not.toBe(before[0]?.namespace);
    // If anything still answers, it is in the old namespace.
    expect(Object.values(after[0]?.answers ?? {})).not.toContain(after[0]?.namespace);
    expect(judge(context, before, after, seconds)).toMatchObject({ survived: 0, recovered: 0 });
  });

  test.for([
    ["plain", zone(layer2), {}],
    ["by the script", zone(macvlan, layer2), workaround],
  ] as const)(
    "a bridge without a gateway, %s: another port joins, and 5 allocations are lost",
    async ([, list, options], context) => {
      await using nomad = await NomadLab.start({ networks: [list], ...options });
      await nomad.run(jobOf({ network: "cni/zone", count: 5 }));
      await joinLayer2(nomad.lab);
      const before = await nomad.survey("job");
      expect(before.filter(isSound)).toHaveLength(5);
      await nomad.restartClient();
      await nomad.untilStatus("failed", 5);
      const seconds = await nomad.untilLogged(5, isFailedPrerun);
      const mismatch = expect.stringMatching(/Bridge interface wire0 Mac doesn't match/);
      expect(errorsOf((await nomad.logLines()).filter(isFailedCheck))).toEqual(Array(5).fill(mismatch));
      expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ survived: 0, recovered: 0 });
    },
  );
});

function setupFailure(allocation: Allocation | undefined): string {
  const events = allocation?.TaskStates?.task?.Events ?? [];
  return events.find(({ Type }) => Type === "Setup Failure")?.DisplayMessage ?? "";
}
