import { describe } from "vitest";
import { good, type Mistake, testMistakes, withBridge } from "./mistake-support.ts";
import { bridge, hostLocal, macvlan, portmap, ptp, wrapped, zone } from "./support.ts";

const mistakes: Readonly<Record<string, Mistake>> = {
  "the list has one more interface": {
    list: zone(wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(portmap, "eth1"), wrapped(ptp, "eth2")),
    says: ["zone c1 fails: ptp-wrapper", "eth2"],
  },
  "the list is half unwrapped": {
    list: zone(macvlan, wrapped(bridge, "eth1"), wrapped(portmap, "eth1")),
    told: { preflight: 1, adopt: 1 },
    says: ["macvlan creates an interface and is not wrapped", "wrap --write /opt/cni/config/zone.conflist"],
  },
  "the bridge is renamed": {
    list: withBridge({ bridge: "disc1" }),
    says: ["zone c1 fails: bridge-wrapper", "changed since it started: plugins[1].bridge"],
  },
  "the master is gone: a network card got another name": {
    make: "ip link delete uplink0",
    says: ["zone c1 fails: macvlan-wrapper", "this host has no interface uplink0", 'Set "master" to'],
  },
  "the list has the master of another host": {
    list: zone(wrapped({ ...macvlan, master: "ens18" }), wrapped(bridge, "eth1"), wrapped(portmap, "eth1")),
    told: { status: 1, "lint --host /opt/cni/config": 1 },
    says: ["zone.conflist:1:", "this host has no interface ens18", "uplink0"],
    fails: "Link not found",
  },
  "the subnet is changed, and the bridge stays": {
    list: withBridge({ ipam: hostLocal("172.30.0.0/20") }),
    told: { status: 1, "lint --host /opt/cni/config": 1 },
    says: ["zone.conflist:1:", "disc0 has the address 172.26.64.1/20", "ip link delete disc0"],
    fails: '"disc0" already has an IP address different from',
  },
  "the list is renamed: lint with the host's state": {
    list: { ...good, name: "zone2" },
    told: { status: 1, "lint --state /var/lib/cni /opt/cni/config": 1 },
    says: ["zone.conflist:1:", "containers are attached to zone, which no list defines", "Name it zone again"],
  },
  "the log's directory is on a read-only file system": {
    list: zone(
      { ...wrapped(macvlan), wrapper: { log: { file: "/opt/log/cni.log" } } },
      wrapped(bridge, "eth1"),
      wrapped(portmap, "eth1"),
    ),
    make: "mkdir /opt/log; mount -t tmpfs -o ro log /opt/log",
    told: { status: 1 },
    says: ["zone.conflist: the wrappers cannot write the log /opt/log/cni.log", "read-only"],
  },
  "the plugins' directory is mounted with noexec": {
    make: "mkdir /opt/other; mount -t tmpfs -o noexec other /opt/other; cp /opt/cni/bin/bridge /opt/other",
    right: "status",
    told: { "status --cni-path /opt/other": 1 },
    says: ["/opt/other", "mounted with noexec", "mount it without noexec"],
  },
  "a plugin is removed": {
    make: "umount /opt/cni/bin/bridge; rm /opt/cni/bin/bridge",
    says: ["zone c1 fails: bridge-wrapper", "delegate bridge is missing", "/opt/cni/bin/bridge"],
  },
  "the wrappers are installed where no plugin is": {
    before: "mkdir /opt/right /opt/other; cp /opt/cni/bin/bridge /opt/right",
    right: "install --dir /opt/right",
    told: { "install --dir /opt/other": 0 },
    says: ["/opt/other: no plugin is in it that a wrapper could run", "cni_path"],
  },
  "the command is not run as root": {
    through: "setpriv --reuid 65534 --regid 65534 --clear-groups",
    told: { status: 2, preflight: 2, adopt: 2, prune: 2, "lint --state /var/lib/cni /opt/cni/config": 2 },
    says: ["/var/lib/cni", "permission denied; run the command as root"],
  },
  "the command is run in a container's network": {
    through: "ip netns exec c1",
    told: { preflight: 2, status: 2 },
    says: ["this host has no interface uplink0", "eth0, eth1", "the Nomad agent: no answer; it may look elsewhere"],
  },
  "libcni's cache is looked for in the wrong directory": {
    right: "preflight",
    told: { "preflight --cache-dir /var/lib/cmi": 2, "status --cache-dir /var/lib/cni/results": 2 },
    says: ["there is no such file", "/results"],
  },
  "Nomad's address has a typing error": {
    through: "NOMAD_ADDR=http://127.0.0.1:4747",
    told: { preflight: 2, status: 2, adopt: 2, prune: 2 },
    says: ["http://127.0.0.1:4747: connect ECONNREFUSED", "it may look elsewhere", "(usual)"],
  },
  "ip(8) does not run, and an address is deleted in a container": {
    make: "ip -n c1 address flush dev eth1; mount --bind /dev/null $(readlink -f $(command -v ip))",
    told: { adopt: 2 },
    says: [
      "zone c1: nobody can tell whether it can be adopted: its interfaces cannot be read: ip(8)",
      "1 cannot be looked at",
    ],
  },
};

describe("an operator's mistake on a host with a running container", () => {
  testMistakes(mistakes);
});
