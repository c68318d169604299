import { expect, test } from "vitest";
import { bridge, macvlan, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { referencePlugins } from "../support/go.ts";
import { version } from "../support/version.ts";
import { jobOf } from "./jobs.ts";
import { isPassedCheck } from "./log.ts";
import { NomadLab } from "./nomad-lab.ts";
import { expectUntouched, judge, soundRun } from "./verdict.ts";

test("plugins 1.2.0 (Nomad runs no CHECK for them) are upgraded to 1.10.0: 3 allocations pass their first CHECK", async (context) => {
  const newer = await referencePlugins();
  await using nomad = await NomadLab.start({ networks: [twoInterfaces()], plugins: "1.2.0" });
  expect((await nomad.node())?.Attributes["plugins.cni.version.bridge"]).toBe("v1.2.0");
  const before = await soundRun(nomad, jobOf({ network: "cni/zone", count: 3 }), 3);
  await nomad.restartClient(() => nomad.lab.replacePlugins(newer));
  const seconds = await nomad.untilLogged(3, isPassedCheck);
  expect((await nomad.node())?.Attributes["plugins.cni.version.bridge"]).toBe("v1.10.0");
  expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ allocations: 3, survived: 3 });
});

test("the wrappers replace a plain chain, under the plugins' names in an earlier directory: 3 allocations survive", async (context) => {
  const list = zone(macvlan, { ...bridge, wrapper: { ifName: "eth1" } });
  await using nomad = await NomadLab.start({
    networks: [list],
    cniPath: "/opt/cni/first:/opt/cni/bin",
    prepare: async (lab) => {
      await lab.run("mkdir", ["/opt/cni/first"]);
      for (const name of ["bridge", "macvlan"])
        await lab.run("ln", ["-s", "../bin/cni-wrappers", `/opt/cni/first/${name}`]);
    },
  });
  const before = await soundRun(nomad, jobOf({ network: "cni/zone", count: 3 }), 3);
  await expectUntouched(nomad, context, before);
  const { Attributes = {} } = (await nomad.node()) ?? {};
  expect(Attributes["plugins.cni.version.bridge"]).toBe("v1.10.0");
  expect(Attributes["plugins.cni.version.macvlan"]).toBe("v1.10.0");
});

test("an allocation of one plain interface survives if its list is wrapped while the client is down", async (context) => {
  const plain = zone(bridge);
  await using nomad = await NomadLab.start({ networks: [plain] });
  await nomad.run(jobOf({ network: "cni/zone", count: 3 }));
  const before = await nomad.survey("job");
  const wrappedList = JSON.stringify(zone(wrapped(bridge)));
  await nomad.restartClient(() => nomad.lab.writeFile("/opt/cni/config/zone.conflist", wrappedList));
  const seconds = await nomad.untilLogged(3, isPassedCheck);
  expect(judge(context, before, await nomad.survey("job"), seconds)).toMatchObject({ allocations: 3, survived: 3 });
});

test("Nomad's fingerprint has the version of each wrapper and each plugin", async () => {
  await using nomad = await NomadLab.start({ networks: [twoInterfaces()] });
  expect((await nomad.node())?.Attributes).toMatchObject({
    "plugins.cni.version.bridge": "v1.10.0",
    "plugins.cni.version.macvlan": "v1.10.0",
    "plugins.cni.version.bridge-wrapper": `v${version}`,
    "plugins.cni.version.macvlan-wrapper": `v${version}`,
  });
});
