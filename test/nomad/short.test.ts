import { describe, expect, test } from "vitest";
import { twoInterfaces } from "../e2e/support.ts";
import { isNomadBuilt } from "../support/nomad.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isComplaint, isFailedCheck, isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { isSound } from "./survey.ts";
import { judge } from "./verdict.ts";

// `npm test` runs this file alone, and does not wait for Nomad to be built.
describe.skipIf(!(await isNomadBuilt()))("in short", () => {
  test("a client is restarted, and a wrapped allocation notices nothing", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    await nomad.run(jobOf({ network: "cni/zone" }));
    const before = await nomad.survey("job");
    expect(before.filter(isSound)).toHaveLength(1);
    await nomad.restartClient();
    const seconds = await nomad.untilLogged(1, isPassedCheck);
    expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ allocations: 1, survived: 1 });
    expect((await nomad.logLines()).filter((line) => isComplaint(line, [before[0]?.id ?? ""]))).toEqual([]);
  });

  test("an interface is lost while the client is down: CHECK says so, the allocation fails, and Nomad replaces it", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    await nomad.run(jobOf({ network: "cni/zone", rescheduled: true }));
    const before = await nomad.survey("job");
    expect(before.filter(isSound)).toHaveLength(1);
    await nomad.restartClient(() => nomad.breakFirst(before, ["link", "delete", "eth1"]));
    await nomad.untilReplaced(before);
    expect(errorsOf((await nomad.logLines()).filter(isFailedCheck))).toEqual([
      expect.stringMatching(/\beth1\b.* not found/),
    ]);
    const after = await nomad.survey("job");
    expect(after.every(isSound)).toBe(true);
    expect(judge(context, before, after)).toMatchObject({ survived: 0, recovered: 1 });
  });
});
