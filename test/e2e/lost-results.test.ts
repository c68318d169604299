import { Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectSuccess } from "./calls.ts";
import { macvlan, twoInterfaces, wrapped, zone } from "./support.ts";

describe("a container whose result and journal somebody has removed", () => {
  test("no command calls the host good", async ({ lab }) => {
    await attached(lab, lab.goCni, twoInterfaces());
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(twoInterfaces()));
    expect(await lab.call(Lab.command, ["preflight"])).toMatchObject({ exitCode: 0, stderr: "" });
    await lab.run("sh", ["-c", "rm -r /var/lib/cni/*"]);
    // install has written it, as uninstall demands.
    await lab.run("sh", ["-c", "cd /opt/cni/bin && umount cni-wrappers && rm cni-wrappers *-wrapper"]);
    expectSuccess(await lab.call(Lab.command, ["install"]));
    for (const command of ["preflight", "status", "adopt", "uninstall"]) {
      const { exitCode, stderr } = await lab.call(Lab.command, [command]);
      expect(stderr, command).toMatch(
        /^\/run\/netns\/c1 has 172\.\d+\.\d+\.\d+: the network zone gives it out, and libcni's cache has no result;/m,
      );
      expect(exitCode, command).toBe(2);
    }
    expect(await lab.readdir("/opt/cni/bin")).toContain("bridge-wrapper");
  });

  test("a namespace with other addresses, or with a result, is no such container", async ({ lab, container }) => {
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(zone(wrapped(macvlan))));
    await lab.ip(container, "address", "add", "10.9.8.7/24", "dev", "lo");
    const other = await lab.addContainer("c2");
    expectSuccess(await lab.goCni.add(zone(wrapped(macvlan)), other));
    expect(await lab.call(Lab.command, ["preflight"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await lab.call(Lab.command, ["status"])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test.for([
    ["a list whose runtime runs no CHECK", { ...zone(wrapped(macvlan)), disableCheck: true }],
    // podman leaves its own behind when it begins to use netavark, with the same addresses.
    ["a plain list", zone(macvlan)],
  ] as const)("%s is not spoiled by it", async ([, list], { lab }) => {
    await attached(lab, lab.goCni, list);
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
    await lab.run("sh", ["-c", "rm -r /var/lib/cni/*"]);
    expect(await lab.call(Lab.command, ["preflight"])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("other names of a container, the host itself, a router and a VPN are no such containers", async ({ lab }) => {
    const made = (name: string, address: string) => `ip netns add ${name}; ip -n ${name} address add ${address} dev lo`;
    const others = [
      "touch /run/netns/name; mount --bind /run/netns/c1 /run/netns/name",
      "ln -s /run/netns/c1 /run/netns/link",
      "ip address add 172.16.5.200/24 dev uplink0; ln -s /proc/1/ns/net /run/netns/host",
      made("router", "172.16.5.1/24"),
      made("vpn", "172.16.5.77/32"),
    ];
    await attached(lab, lab.goCni, zone(wrapped(macvlan)));
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(zone(wrapped(macvlan))));
    await lab.run("sh", ["-ec", others.join("\n")]);
    expect(await lab.call(Lab.command, ["preflight"])).toMatchObject({ exitCode: 0, stderr: "" });
  });
});
