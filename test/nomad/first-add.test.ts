import { describe, expect, test } from "vitest";
import { bridge, zone } from "../e2e/support.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isFailedAdd } from "./log.ts";
import { wrappedTwo } from "./networks.ts";
import { NomadLab } from "./nomad-lab.ts";
import { installFlaky } from "./scripts.ts";
import { judge } from "./verdict.ts";

const flaky = { type: "flaky" };

describe("an ADD that fails once", () => {
  test("wrapped: Nomad's second try passes", async (context) => {
    await using nomad = await NomadLab.start({ networks: [wrappedTwo({}, flaky)], prepare: installFlaky });
    await nomad.run(jobOf({ network: "cni/zone" }));
    expect(errorsOf((await nomad.logLines()).filter(isFailedAdd))).toEqual([expect.stringMatching(/not now/)]);
    const states = await nomad.survey("job");
    expect(states).toMatchObject([{ addresses: { eth0: ["172.16.5.2/24"], eth1: ["172.26.64.2/20"] } }]);
    expect(judge(context, states, states)).toMatchObject({ survived: 1 });
  });

  test("plain: Nomad's other tries fail as well", async (context) => {
    await using nomad = await NomadLab.start({ networks: [zone(bridge, flaky)], prepare: installFlaky });
    await nomad.register(jobOf({ network: "cni/zone" }));
    await nomad.untilStatus("failed", 1);
    const [first, ...others] = errorsOf((await nomad.logLines()).filter(isFailedAdd));
    expect(first).toMatch(/not now/);
    expect(others).toEqual([expect.stringMatching(/already exists/), expect.stringMatching(/already exists/)]);
    context.task.meta.verdict = { allocations: 1, survived: 0, recovered: 0 };
  });
});
