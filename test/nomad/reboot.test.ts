import { describe, expect, test } from "vitest";
import { bridge, macvlan, wrapped, zone } from "../e2e/support.ts";
import { jobOf } from "./jobs.ts";
import { errorsOf, isFailedAdd } from "./log.ts";
import { leasesIn } from "./networks.ts";
import { NomadLab } from "./nomad-lab.ts";
import { judge, soundRun } from "./verdict.ts";

// A reboot empties this directory.
const tmpfs = "/run/cni/networks";

describe("the host is rebooted", () => {
  test("wrapped, leases kept: every allocation comes back", async (context) => {
    const list = zone(wrapped(macvlan), wrapped(bridge, "eth1"));
    await using nomad = await NomadLab.start({ networks: [list] });
    await nomad.run(jobOf({ network: "cni/zone", count: 3 }));
    const before = await nomad.survey("job");
    await using anew = await nomad.reboot();
    const kept = await anew.lab.kernel.leases();
    expect(kept.filter((file) => file.startsWith("zone"))).toHaveLength(6);
    const seconds = await anew.untilLogged(3, (line) => line["@message"] === "received result from CNI");
    await anew.untilSound(3);
    const after = await anew.survey("job");
    expect(after.map(({ id, addresses }) => [id, addresses])).toEqual(
      before.map(({ id, addresses }) => [id, addresses]),
    );
    expect(judge(context, before, after, seconds)).toMatchObject({ survived: 0, recovered: 3 });
    expect(await anew.lab.kernel.leases()).toHaveLength(6);
  });

  test("wrapped, leases gone: every allocation comes back", async (context) => {
    const list = zone(leasesIn(tmpfs, wrapped(macvlan)), leasesIn(tmpfs, wrapped(bridge, "eth1")));
    await using nomad = await NomadLab.start({ networks: [list] });
    await nomad.run(jobOf({ network: "cni/zone", count: 3 }));
    const before = await nomad.survey("job");
    await using anew = await nomad.reboot();
    await anew.untilSound(3);
    expect(judge(context, before, await anew.survey("job"))).toMatchObject({ survived: 0, recovered: 3 });
  });

  test("plain, leases kept: no allocation comes back", async (context) => {
    await using nomad = await NomadLab.start({ networks: [zone(bridge)] });
    const before = await soundRun(nomad, jobOf({ network: "cni/zone", count: 3 }), 3);
    await using anew = await nomad.reboot();
    await anew.untilStatus("failed", 3);
    const errors = errorsOf((await anew.logLines()).filter(isFailedAdd));
    expect(errors[0]).toMatch(/duplicate allocation is not allowed/);
    expect(judge(context, before, await anew.survey("job"))).toMatchObject({ survived: 0, recovered: 0 });
  });
});
