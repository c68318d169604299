import { Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { expectFailure, expectSuccess } from "./calls.ts";
import { good, type Mistake, testMistakes, withBridge } from "./mistake-support.ts";
import { bridge, hostLocal, macvlan, portmap, published, wrapped, zone } from "./support.ts";

const withMacvlan = (own: Record<string, unknown>) =>
  zone(wrapped({ ...macvlan, ...own }), wrapped(bridge, "eth1"), wrapped(portmap, "eth1"));
const masquerading = withBridge({ ipMasq: true });
const withTuning = (sysctl: Record<string, string>) => ({
  ...good,
  plugins: [...good.plugins, wrapped({ type: "tuning", sysctl }, "eth1")],
});
const lint = "lint --host --cni-path /opt/cni/bin /opt/cni/config";
const flush = "iptables -t nat -F; iptables -t nat -X; nft flush ruleset";

const mistakes: Readonly<Record<string, Mistake>> = {
  "a file of sysctl.d switches forwarding off": {
    make: "sysctl -w net.ipv4.ip_forward=0",
    told: { status: 1 },
    says: ["net.ipv4.ip_forward is 0", "sysctl -w net.ipv4.ip_forward=1"],
  },
  "a reload of the firewall has flushed the rules of ipMasq": {
    start: zone(wrapped(macvlan), wrapped({ ...bridge, ipMasq: true }, "eth1")),
    make: flush,
    told: { status: 1 },
    says: ["the rules of ipMasq (bridge-wrapper) are gone for 1 of 1 containers: c1", "replace the containers"],
  },
  "the host's network service takes the gateway's address from the bridge": {
    make: "ip address flush dev disc0",
    told: { status: 1 },
    says: ["disc0 has lost 172.26.64.1/20", "ip address add 172.26.64.1/20 dev disc0"],
  },
  "the master becomes a port of a bridge": {
    make: "ip -n c1 link delete eth0; ip link add br0 up type bridge; ip link set uplink0 master br0",
    told: { status: 1, [lint]: 1 },
    says: ["zone.conflist:1:", "uplink0 is a port of br0", "Use br0 as master"],
    fails: "device or resource busy",
  },
  "the mtu is above the master's": {
    list: withMacvlan({ mtu: 9000 }),
    told: { status: 1, [lint]: 1 },
    says: ["zone.conflist:1:", "the mtu is 9000, and uplink0 of this host has 1500"],
    fails: "invalid MTU 9000",
  },
  "a sysctl is misspelled": {
    start: withTuning({ "net.core.somaxconn": "512" }),
    list: withTuning({ "net.core.somaxcon": "512" }),
    told: { status: 1 },
    says: ["a container has no sysctl net.core.somaxcon:", "Correct the name"],
    fails: "open /proc/sys/net/core/somaxcon: no such file or directory",
  },
  "a sysctl is not in tuning's list of allowed ones": {
    start: withTuning({ "net.core.somaxconn": "512" }),
    make: "mkdir -p /run/cni/tuning /etc/cni; echo '^net.ipv4.' >/run/cni/tuning/allowlist.conf; mount --bind /run/cni /etc/cni",
    told: { status: 1 },
    says: ["/etc/cni/tuning/allowlist.conf does not allow the sysctl net.core.somaxconn", "Add a line to it"],
    fails: "Sysctl net.core.somaxconn is not allowed",
  },
  "resolvConf names a file that is not there": {
    list: withMacvlan({ ipam: { ...hostLocal("172.16.5.0/24", { dst: "0.0.0.0/0" }), resolvConf: "/etc/resolv.lan" } }),
    told: { status: 1 },
    says: ["host-local reads /etc/resolv.lan (resolvConf), which is not there", "delete the key"],
    fails: "open /etc/resolv.lan: no such file or directory",
  },
  "the host has no program for packet rules": {
    start: masquerading,
    make: "for name in iptables nft; do mount --bind /dev/null /usr/sbin/$name; done",
    // Nobody can look at the rules then, either.
    told: { status: 2 },
    says: ["bridge-wrapper needs iptables or nft, which this host does not have", "Install it"],
    fails: "failed to locate iptables",
  },
  "IPv6 is switched off, and a pool has it": {
    start: withBridge({ bridge: "disc6", ipam: hostLocal("fd00:1::/64") }),
    make: "ip -n c1 link delete eth1; ip link delete disc6; sysctl -w net.ipv6.conf.all.disable_ipv6=1",
    told: { status: 1 },
    says: ["IPv6 is off on this host", "disc6 needs an IPv6 address"],
    fails: "could not add IP address fd00:1::1/64",
  },
  "leases of containers of a crash fill the pool": {
    start: withBridge({ ipam: hostLocal("172.26.64.0/29") }),
    make: `cd /var/lib/cni/networks/zone-eth1; for i in 3 4 5 6; do printf "lost$i\\r\\neth1" >172.26.64.$i; touch -d '1 hour ago' 172.26.64.$i; done`,
    told: { prune: 1 },
    says: ["zone", "lost3", "172.26.64.6", "4 can be pruned, 0 left"],
    fails: "no IP addresses available in range set",
  },
  "the LAN has another gateway than host-local assumes": {
    start: withMacvlan({
      ipam: {
        type: "host-local",
        subnet: "172.16.5.0/24",
        rangeStart: "172.16.5.100",
        rangeEnd: "172.16.5.149",
        routes: [{ dst: "0.0.0.0/0" }],
      },
    }),
    make: "ip address add 172.16.5.10/24 dev uplink0; ip route add default via 172.16.5.254",
    told: { status: 1 },
    says: [
      "eth0 gets a default route through 172.16.5.1",
      "this host's goes through 172.16.5.254 on uplink0",
      'Set "gateway"',
    ],
  },
  "the disk of /var is full": {
    before: "mkdir -p /var/lib/cni; mount -t tmpfs -o size=1m disk /var/lib/cni",
    make: "dd if=/dev/zero of=/var/lib/cni/core bs=4k || :",
    told: { status: 1, preflight: 1 },
    says: ["cannot write journals, and ADD fails: /var/lib/cni/wrappers: no space is left"],
    fails: "ENOSPC",
  },
  "the IPAM plugin was cut off when it was copied": {
    make: "cd /opt/cni/bin; umount host-local; head -c 1000000 /run/lab/plugins/host-local >host-local; chmod +x host-local",
    told: { status: 1, [lint]: 1 },
    says: ["/opt/cni/bin/host-local ends with SIG", "it is damaged", "Install it again"],
    fails: "signal: ",
  },
  "a command runs in a container that has the host's /var/lib/cni and not its namespaces": {
    through: `unshare --mount --pid --net --fork --mount-proc sh -c 'mount --rbind $(dirname "$0") /mnt && mount -t tmpfs none /run && exec /mnt/cni-wrappers "$@"'`,
    told: { status: 2, preflight: 2, adopt: 2, prune: 2, "prune --write --yes": 2 },
    says: ["does not see /run/netns", "every container looks gone", "run it on the host itself"],
  },
  "the container's namespace is unmounted, and its processes go on": {
    make: "nsenter --net=/run/netns/c1 sh -c 'touch /run/inside; exec sleep 60' >/run/log 2>&1 & until [ -e /run/inside ]; do sleep 0.1; done; umount /run/netns/c1 && rm /run/netns/c1",
    told: { preflight: 1, adopt: 1 },
    says: ["/run/netns/c1 is no namespace: its namespace lives on: /proc/"],
  },
  "the result of the container is moved aside in libcni's cache": {
    make: "cd /var/lib/cni/results && mv zone-c1-eth0 zone-c1-eth0.bak",
    told: { status: 2, preflight: 2, adopt: 2 },
    says: ["zone-c1-eth0.bak: libcni does not read it: it looks for zone-c1-eth0"],
  },
  "portmap is taken out of the list": {
    start: zone(wrapped(bridge), portmap),
    list: zone(wrapped(bridge)),
    told: { status: 1, preflight: 1 },
    says: ["portmap is in the list no more, so DEL leaves its rules"],
  },
};

describe("an operator's mistake with the host around a running container", () => {
  testMistakes(mistakes);

  test("one key of a result is damaged: libcni finds no result, and preflight leaves the container out", async ({
    lab,
    container,
  }) => {
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(good));
    expectSuccess(await lab.cnitool.add(good, container));
    const file = await lab.run("sh", ["-c", "ls -d /var/lib/cni/results/zone-*"]);
    const kept = JSON.parse(await lab.readFile(file));
    const preflight = () => lab.call(Lab.command, ["preflight"]);
    expect(await preflight()).toMatchObject({ exitCode: 0 });
    for (const [damage, reason] of [
      [{ config: "!!" }, "libcni cannot read its config"],
      [{ netns: 5 }, "libcni cannot read its netns"],
      [{ capabilityArgs: "x" }, "libcni cannot read its capabilityArgs"],
      [{ cniArgs: ["K=v"] }, "libcni cannot read its cniArgs"],
      [{ result: { ...kept.result, cniVersion: "9.9.9" } }, "libcni does not know the cniVersion of its result, 9.9.9"],
    ] as const) {
      await lab.writeFile(file, JSON.stringify({ ...kept, ...damage }));
      expectFailure(await lab.cnitool.check(good, container), /./);
      expect(await preflight()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${file}: ${reason}`) });
    }
    for (const taken of [{ config: null }, { netns: null, capabilityArgs: null, cniArgs: [["K"], ["K", "v", 7]] }]) {
      await lab.writeFile(file, JSON.stringify({ ...kept, ...taken }));
      expectSuccess(await lab.cnitool.check(good, container));
      expect(await preflight()).toMatchObject({ exitCode: 0 });
    }
  });

  test("a plain portmap that was taken out of the list: DEL leaves its rules", async ({ lab, container }) => {
    expectSuccess(await lab.goCni.add(zone(wrapped(bridge), portmap), container, published(8080)));
    expectSuccess(await lab.goCni.del(zone(wrapped(bridge)), container, published(8080)));
    expect(await lab.run("iptables", ["-t", "nat", "-S"])).toContain("--dport 8080 -j DNAT");
  });

  test("two containers of a list with a fixed address: status was content with one", async ({ lab }) => {
    const fixed = zone(wrapped({ ...bridge, ipam: { type: "static", addresses: [{ address: "172.26.64.9/20" }] } }));
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(fixed));
    const status = async (name: string) => {
      expectSuccess(await lab.goCni.add(fixed, await lab.addContainer(name)));
      return lab.call(Lab.command, ["status"]);
    };
    expect(await status("c1")).toMatchObject({ exitCode: 0 });
    const told = "c1 and c2 have one address, 172.26.64.9/20 (bridge-wrapper): stop all but one";
    expect(await status("c2")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(told) });
  });

  test("a host that never had a container, and a right list: lint and status are content", async ({ lab }) => {
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(good));
    const run = (line: string) => lab.call(Lab.command, line.split(" "));
    expect(await run(`${lint} --state /var/lib/cni`)).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await run("status")).toMatchObject({ exitCode: 0 });
    expect(await run(`${lint} --state /var/lib/cmi`)).toMatchObject({ exitCode: 2 });
  });
});
