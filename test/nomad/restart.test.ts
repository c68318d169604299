import { describe, expect, test } from "vitest";
import { macvlan, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isComplaint, isFailedPrerun, isPassedCheck } from "./log.ts";
import { joinLayer2, layer2 } from "./networks.ts";
import { NomadLab } from "./nomad-lab.ts";
import { expectUntouched, judge, soundRun } from "./verdict.ts";

describe("a client is restarted", () => {
  test.for([10, 50])("macvlan and bridge, wrapped: %i allocations", async (count, context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone", count }), count);
    expect(new Set(before.map(({ addresses }) => Object.keys(addresses).join()))).toEqual(new Set(["eth0,eth1"]));
    await expectUntouched(nomad, context, before);
    const ids = before.map(({ id }) => id);
    expect((await nomad.logLines()).filter((line) => isComplaint(line, ids))).toEqual([]);
  });

  test("a bridge without a gateway, with the MAC of one of its ports, wrapped: 5 allocations", async (context) => {
    const list = zone(wrapped(macvlan), wrapped(layer2, "eth1"));
    await using nomad = await NomadLab.start({ networks: [list] });
    await nomad.run(jobOf({ network: "cni/zone", count: 5 }));
    await joinLayer2(nomad.lab);
    const before = await nomad.survey("job");
    await expectUntouched(nomad, context, before);
  });

  test("a client that is killed before it saved a network loses the allocation, although CHECK passes", async (context) => {
    await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
    await nomad.run(jobOf({ network: "cni/zone" }));
    const before = await nomad.survey("job");
    await nomad.client.kill();
    await nomad.startClient();
    const seconds = await nomad.untilLogged(1, isPassedCheck);
    await nomad.untilStatus("failed", 1);
    expect(errorsOf((await nomad.logLines()).filter(isFailedPrerun))).toEqual([
      expect.stringMatching(/network already configured but not found in state/),
    ]);
    expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ survived: 0, recovered: 0 });
  });
});
