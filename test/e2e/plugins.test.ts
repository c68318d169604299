import { randomUUID } from "node:crypto";
import { profiles } from "../../plugins/index.ts";
import { referencePlugins } from "../support/go.ts";
import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { hostHas } from "../support/needs.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectSuccess, expectUndone } from "./calls.ts";
import { cases, type PluginCase } from "./plugin-cases.ts";
import { expectToWork, positions } from "./plugin-trial.ts";
import { bridge, hostLocal, named, wrapped, zone } from "./support.ts";

// Each wrapped plugin in each place of a list, as docs/plugins.md says. examples.test.ts has chains of several.

test("every plugin has a case", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(profiles).sort());
});

describe.each(Object.entries<PluginCase>(cases))("%s", (_, given) => {
  test.skipIf(given.needs && !hostHas[given.needs]).each(positions)(
    "passes ADD, CHECK, a fault and DEL: %s",
    (position) => expectToWork(given, position),
  );
});

describe("the upstream bugs on the pages", () => {
  test.for([
    ["three ports", { count: 3 }, "masquerading", undefined],
    ["a port at an address of the host", { hostIP: "192.0.2.1" }, undefined, "hostports"],
  ] as const)(
    "portmap with nftables, wrapped or not: CHECK of 1.6.2, and of 1.10.0 after it, with %s",
    async ([, given, chain, laterChain]) => {
      const { count, hostIP } = { count: 1, hostIP: "", ...given };
      await using lab = await Lab.start({ plugins: "1.6.2" });
      const plain = [bridge, { type: "portmap", backend: "nftables", capabilities: { portMappings: true } }];
      const port = { containerPort: 80, protocol: "tcp", hostIP } as const;
      const ports = Array.from({ length: count }, (_, index) => ({ ...port, hostPort: 25080 + index }));
      const all: [NetworkList, Container][] = [];
      for (const list of [zone(...plain), named("other", ...plain.map((one) => wrapped(one)))])
        all.push([list, await attached(lab, lab.cnitool, list, list.name, { ports })]);
      const expectChecks = async (missing: string | undefined) => {
        const stderr = missing ? `missing hostport rules in "${missing}" chain` : "";
        for (const one of all)
          expect((await lab.cnitool.check(...one, { ports })).stderr.replace(/^plugin .*: /, "")).toBe(stderr);
      };
      await expectChecks(chain);
      await lab.replacePlugins(await referencePlugins());
      await expectChecks(laterChain);
      for (const one of all) expectSuccess(await lab.cnitool.del(...one, { ports }));
    },
  );

  test.for(["namespace", "interface"])(
    "host-device: DEL after the %s is gone frees the lease",
    async (gone, { lab }) => {
      await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "far0");
      const device = { type: "host-device", device: "card0", ipam: hostLocal("10.60.0.0/24") };
      const list = zone(wrapped(bridge), wrapped(device, "eth1"));
      const container = await attached(lab, lab.cnitool, list);
      await lab.ip(container, "link", "delete", "eth1");
      if (gone === "namespace") await lab.deleteNamespace(container);
      await expectUndone(lab, list, container, ["disc0"], lab.cnitool);
    },
  );

  test("host-device: GC frees the lease of a container that is gone", async ({ lab }) => {
    await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "far0");
    const device = { type: "host-device", device: "card0", ipam: hostLocal("10.60.0.0/24") };
    const container = await attached(lab, lab.goCni, zone("1.1.0", wrapped(device)));
    await lab.deleteNamespace(container);
    // Without libcni's result, libcni runs no DEL.
    await lab.run("rm", ["-r", "/var/lib/cni/results"]);
    expectSuccess(await lab.goCni.gc(zone("1.1.0", wrapped(device)), []));
    expect(await lab.kernel.leases()).toEqual([]);
  });

  test("host-device: leases that outlived a reboot are freed before ADD, which gets the address again", async () => {
    await using lab = await Lab.start({ recorded: true });
    await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "far0");
    const list = zone(wrapped({ type: "host-device", device: "card0", ipam: hostLocal("10.60.0.0/24") }));
    const container = await attached(lab, lab.goCni, list);
    await lab.ip(container, "link", "set", "eth0", "netns", "1");
    await lab.ip(undefined, "link", "set", "eth0", "name", "card0");
    await lab.deleteNamespace(container);
    await lab.writeFile("/run/lab/boot_id", `${randomUUID()}\n`);
    await lab.run("mount", ["--bind", "/run/lab/boot_id", "/proc/sys/kernel/random/boot_id"]);
    const anew = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.addresses(anew, "eth0")).toEqual(["10.60.0.2/24"]);
    expect(await lab.kernel.leases()).toEqual(["zone/10.60.0.2"]);
    // If the earlier DEL had freed nothing, an ADD would have failed first.
    const adds = (await lab.records()).filter(
      ({ plugin, env }) => plugin === "host-device" && env.CNI_COMMAND === "ADD",
    );
    expect(adds.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expectSuccess(await lab.goCni.del(list, anew));
    expect(await lab.kernel.leases()).toEqual([]);
  });
});

describe("an unknown plugin", () => {
  const script = `#!/bin/sh
# Makes a tap device, and returns every interface that it has made for the container so far.
memory=/run/lab/own-$CNI_CONTAINERID
case $CNI_COMMAND in
ADD)
  nsenter --net="$CNI_NETNS" ip tuntap add "$CNI_IFNAME" mode tap || exit 1
  [ -e "$memory" ] && printf , >>"$memory"
  printf '{"name": "%s", "sandbox": "%s"}' "$CNI_IFNAME" "$CNI_NETNS" >>"$memory"
  echo '{"cniVersion": "1.0.0", "interfaces": ['"$(cat "$memory")"']}' ;;
CHECK) nsenter --net="$CNI_NETNS" ip link show "$CNI_IFNAME" >/dev/null 2>&1 || {
  echo '{"cniVersion": "1.0.0", "code": 11, "msg": "'"$CNI_IFNAME"' is gone"}'; exit 1; } ;;
DEL) rm -f "$memory"; nsenter --net="$CNI_NETNS" ip link del "$CNI_IFNAME" 2>/dev/null; exit 0 ;;
VERSION) echo '{"cniVersion": "1.0.0", "supportedVersions": ["1.0.0"]}' ;;
esac
`;

  test("is wrapped through a link; the parts of prevResult in its answer are not spliced twice", async ({ lab }) => {
    await lab.writeScript("/opt/cni/bin/own", script);
    await lab.run("ln", ["-s", "cni-wrappers", "/opt/cni/bin/own-wrapper"]);
    const own = { type: "own" };
    const tuned = { ...wrapped({ type: "tuning", mtu: 1400 }), wrapper: { ifName: "eth1" } };
    const list = zone(wrapped(own), wrapped(own, "eth1"), wrapped(bridge, "eth2"), tuned);
    const container = await attached(lab, lab.goCni, list);
    const { interfaces = [] } = await lab.kernel.cachedResult("zone", "c1");
    expect(interfaces.filter(({ sandbox }) => sandbox).map(({ name }) => name)).toEqual(["eth0", "eth1", "eth2"]);
    expect((await lab.kernel.link(container, "eth1")).mtu).toBe(1400);
    expectSuccess(await lab.goCni.check(list, container));
    await lab.ip(container, "link", "del", "eth1");
    expectFailure(await lab.goCni.check(list, container), "eth1 is gone");
    await expectUndone(lab, list, container, ["disc0"]);
  });
});
