import { describe, expect, test } from "vitest";
import { twoInterfaces } from "../e2e/support.ts";
import { isNomadBuilt } from "../support/nomad.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isComplaint, isFailedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { isSound } from "./survey.ts";
import { expectUntouched, judge, soundRun } from "./verdict.ts";

// `npm test` runs this file alone, and does not wait for Nomad to be built.
describe.skipIf(!(await isNomadBuilt()))("in short", () => {
  test("a client is restarted, and a wrapped allocation notices nothing", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone" }), 1);
    await expectUntouched(nomad, context, before);
    expect((await nomad.logLines()).filter((line) => isComplaint(line, [before[0]?.id ?? ""]))).toEqual([]);
  });

  test("an interface is lost while the client is down: CHECK says so, the allocation fails, and Nomad replaces it", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone", rescheduled: true }), 1);
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
