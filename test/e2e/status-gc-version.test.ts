import { pluginVersions } from "../support/go.ts";
import { type CallRecord, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectNothingLeft, expectSuccess } from "./calls.ts";
import { bridge, macvlan, older, portmap, twoInterfaces, wrapped, zone } from "./support.ts";

const list = twoInterfaces("1.1.0");

describe("STATUS", () => {
  test("fails as the plain plugin's does", async () => {
    await using lab = await Lab.start(older);
    const broken = { ...bridge, ipam: { type: "missing-ipam" } };
    const message = 'failed to find plugin "missing-ipam" in path [/opt/cni/bin]';
    expectFailure(await lab.runtime.status(zone("1.1.0", broken)), message);
    expectFailure(await lab.runtime.status(zone("1.1.0", wrapped(macvlan), wrapped(broken, "eth1"))), message);
  });
});

describe("GC", () => {
  test("removes the container that is no longer valid and nothing of the one that is", async ({ lab }) => {
    const stays = await attached(lab, lab.goCni, list, "c1");
    const goes = await attached(lab, lab.goCni, list, "c2");
    expectSuccess(await lab.goCni.gc(list, [{ containerID: "c1", ifname: "eth0" }]));
    expect(await lab.kernel.linkNames(goes)).toEqual(["lo"]);
    expect(await lab.kernel.cachedResults()).toEqual(["zone-c1-eth0"]);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
    expectSuccess(await lab.goCni.check(list, stays));
  });

  test("names to a plugin what another list has in its network: host-local frees the lease of an attachment that is not named", async () => {
    await using lab = await Lab.start({ recorded: true });
    const inPool = { ...wrapped(bridge), wrapper: { ifName: "eth1", network: "pool" } };
    const [za, zb] = ["za", "zb"].map((name) => ({ ...zone("1.1.0", wrapped(macvlan), inPool), name }));
    if (!za || !zb) throw new Error("two lists");
    await attached(lab, lab.goCni, za, "c1");
    await attached(lab, lab.goCni, zb, "c2");
    const before = await lab.kernel.leases();
    expect(before).toHaveLength(4);
    const renamed = { ...inPool, wrapper: { ...inPool.wrapper, ifName: "eth3" } };
    const edited = { ...za, plugins: [wrapped(macvlan), renamed] };
    for (const list of [za, edited]) {
      expectSuccess(await lab.goCni.gc(list, [{ containerID: "c1", ifname: "eth0" }]));
      const isGc = ({ plugin, env }: CallRecord) => plugin === "bridge" && env.CNI_COMMAND === "GC";
      const record = (await lab.records()).findLast(isGc);
      // No reference plugin hands GC on to host-local yet.
      const gc = ["env", "CNI_COMMAND=GC", "CNI_PATH=/opt/cni/bin", "/opt/cni/bin/host-local"];
      await lab.run("sh", ["-c", `printf %s "$0" | ${gc.join(" ")}`, JSON.stringify(record?.stdin)]);
      expect(await lab.kernel.leases()).toEqual(before);
    }
  });

  test("without a list of valid attachments removes everything", async () => {
    await using lab = await Lab.start(older);
    await attached(lab, lab.cnitool, list, "c1");
    await attached(lab, lab.cnitool, list, "c2");
    expectSuccess(await lab.cnitool.gc(list));
    await expectNothingLeft(lab, ["disc0"]);
  });
});

const allVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

describe("libcni's VERSION probe", () => {
  test.each(pluginVersions)("finds every version of plugins %s, wrapped and plain", async (plugins) => {
    await using lab = await Lab.start({ plugins });
    for (const plugin of ["bridge", "bridge-wrapper", "macvlan", "macvlan-wrapper"]) {
      expect(JSON.parse(expectSuccess(await lab.goCni.version(plugin)))).toEqual({ supportedVersions: allVersions });
    }
  });

  test("finds a list of wrapped plugins valid, and one of an unknown version invalid", async ({ lab }) => {
    const valid = zone(wrapped(macvlan), wrapped(bridge, "eth1"), portmap);
    expect(JSON.parse(expectSuccess(await lab.goCni.validate(valid)))).toEqual({ capabilities: ["portMappings"] });
    expectFailure(
      await lab.goCni.validate(zone("9.9.9", wrapped(bridge))),
      '[plugin bridge-wrapper does not support config version "9.9.9"]',
    );
  });
});
