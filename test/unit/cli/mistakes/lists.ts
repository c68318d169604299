import type { Mistake } from "./mistake.ts";

const unloaded = { lint: 1, status: 2, preflight: 2 };
/** The runtime loads the list, and ADD or CHECK fails. */
const failing = { lint: 1, status: 1 };
/** It works, and not as it seems. */
const misleading = { lint: 1 };

/** Mistakes in the keys of a list, and of the block `wrapper`. */
export const listMistakes: readonly Mistake[] = [
  {
    name: "cniVersion is missing",
    make: (host) => host.line(2, ""),
    told: failing,
    says: ["config/zone.conflist:", "without cniVersion", '"cniVersion": "1.0.0"'],
  },
  {
    name: "cniVersion is newer than the specification",
    make: (host) => host.line(2, '  "cniVersion": "2.0.0",'),
    told: failing,
    says: ["config/zone.conflist:2:", '"2.0.0"', 'Use "1.0.0"', "1.1.0"],
  },
  {
    name: "cniVersion is a number",
    make: (host) => host.line(2, '  "cniVersion": 1.0,'),
    told: unloaded,
    says: ["config/zone.conflist:2:", "cniVersion must be"],
  },
  {
    name: "cniVersion is older than CHECK",
    make: (host) => host.line(2, '  "cniVersion": "0.3.1",'),
    told: misleading,
    says: ["config/zone.conflist:2:", "0.3.1", "CHECK", "1.0.0"],
  },
  {
    name: "name is missing",
    make: (host) => host.line(3, ""),
    told: unloaded,
    says: ["config/zone.conflist:1:", "name"],
  },
  {
    name: "name has a space",
    make: (host) => host.line(3, '  "name": "dmz zone",'),
    told: unloaded,
    says: ["config/zone.conflist:3:", '"dmz zone"', "letters"],
  },
  {
    name: "plugins is an object",
    make: (host) => host.write("config/late.conflist", '{\n"name": "late",\n"plugins": { "type": "bridge" } }'),
    told: unloaded,
    says: ["config/late.conflist:3:", "plugins must be a list"],
  },
  {
    name: "disableCheck is left from before the wrappers",
    make: (host) => host.line(3, '  "name": "zone", "disableCheck": true,'),
    told: misleading,
    says: ["config/zone.conflist:3:", "disableCheck", "Delete the key"],
  },
  {
    name: "disableCheck is a word that is neither true nor false",
    make: (host) => host.line(3, '  "name": "zone", "disableCheck": "yes",'),
    told: unloaded,
    says: ["config/zone.conflist:3:", "disableCheck must be true or false"],
  },
  {
    name: "the bridge has a slash in its name",
    make: (host) => host.line(13, '      "bridge": "br/disc0",'),
    told: failing,
    says: ["config/zone.conflist:13:", "bridge must not contain '/'"],
  },
  {
    name: "prevResult was copied from a log into the list",
    make: (host) => host.line(3, '  "name": "zone", "prevResult": { "cniVersion": "1.0.0" },'),
    told: misleading,
    says: ["config/zone.conflist:3:", "prevResult", "belongs in no list", "Delete it"],
  },
  {
    name: "a plugin has no type",
    make: (host) => host.line(11, ""),
    told: unloaded,
    says: ["config/zone.conflist:10:", "no type"],
  },
  {
    name: "a type is a path",
    make: (host) => host.line(11, '      "type": "/opt/cni/bin/bridge-wrapper",'),
    told: unloaded,
    says: ["config/zone.conflist:11:", "/opt/cni/bin/bridge-wrapper", "only the executable's name"],
  },
  {
    name: "a plain type stands among wrapped ones",
    make: (host) => host.line(6, '      "type": "macvlan",'),
    told: failing,
    says: ["config/zone.conflist:6:", "macvlan", "is not wrapped", '"macvlan-wrapper"'],
  },
  {
    name: "portmap is not wrapped, and publishes on macvlan's interface",
    make: (host) => {
      host.line(18, '      "type": "portmap",');
      host.line(19, "");
    },
    told: misleading,
    says: ["config/zone.conflist:18:", "eth0", "does not reach", "portmap-wrapper", "eth1"],
  },
  {
    name: "two creators have one ifName",
    make: (host) => host.line(6, '      "type": "macvlan-wrapper", "wrapper": { "ifName": "eth1" },'),
    told: failing,
    says: ["config/zone.conflist:12:", "bridge-wrapper makes eth1", "macvlan-wrapper", "another name"],
  },
  {
    name: "the second creator has no ifName",
    make: (host) => host.line(12, ""),
    told: failing,
    says: ["config/zone.conflist:11:", "bridge-wrapper makes eth0", "wrapper.ifName", '"eth1"'],
  },
  {
    name: "ifName has more characters than the kernel takes",
    make: (host) => host.line(12, '      "wrapper": { "ifName": "discovery-network" },'),
    told: failing,
    says: ["config/zone.conflist:12:", "discovery-network", "15"],
  },
  {
    name: "ifName has a slash",
    make: (host) => host.line(12, '      "wrapper": { "ifName": "eth0/1" },'),
    told: failing,
    says: ["config/zone.conflist:12:", '"eth0/1"', "must not contain '/'"],
  },
  {
    name: "ifName is the bridge's name",
    make: (host) => host.line(12, '      "wrapper": { "ifName": "disc0" },'),
    told: failing,
    says: ["config/zone.conflist:12:", "disc0", "own bridge"],
  },
  {
    name: "Nomad would advertise the second interface",
    make: (host) => {
      host.line(12, '      "wrapper": { "ifName": "backup" },');
      host.line(19, '      "wrapper": { "ifName": "backup" },');
    },
    told: misleading,
    says: ["config/zone.conflist:12:", "Nomad advertises the address of backup instead of eth0"],
  },
  {
    name: "ifName is spelled ifname",
    make: (host) => host.line(12, '      "wrapper": { "ifname": "eth1" },'),
    told: failing,
    says: ["config/zone.conflist:12:", "wrapper.ifname is unknown", '"ifName"'],
  },
  {
    name: "ifName stands next to the block wrapper",
    make: (host) => host.line(12, '      "ifName": "eth1",'),
    told: failing,
    says: ["config/zone.conflist:12:", "ifName is misplaced", "wrapper"],
  },
  {
    name: "the block wrapper is a text",
    make: (host) => host.line(12, '      "wrapper": "eth1",'),
    told: failing,
    says: ["config/zone.conflist:12:", "wrapper must be an object"],
  },
  {
    name: "the log is below a file",
    make: (host) => {
      host.write("log", "");
      host.line(12, `      "wrapper": { "ifName": "eth1", "log": { "file": "${host.path("log/wrappers.log")}" } },`);
    },
    told: { status: 1 },
    says: ["config/zone.conflist: the wrappers cannot write the log", "/log/wrappers.log", "is not a directory"],
  },
  {
    name: "the log is a directory",
    make: (host) => host.line(12, `      "wrapper": { "ifName": "eth1", "log": { "file": "${host.directory}" } },`),
    told: { status: 1 },
    says: ["config/zone.conflist: the wrappers cannot write the log", "it is a directory"],
  },
  {
    name: "a plain plugin has a block wrapper",
    make: (host) => host.line(18, '      "type": "portmap",'),
    told: misleading,
    says: ["config/zone.conflist:19:", "does not read this block", '"portmap-wrapper"'],
  },
  {
    name: "a wrapper is told to run a wrapper",
    make: (host) => host.line(12, '      "wrapper": { "ifName": "eth1", "delegate": "bridge-wrapper" },'),
    told: failing,
    says: ["config/zone.conflist:12:", "bridge-wrapper", "which is a wrapper", '"bridge"'],
  },
  {
    name: "portmap is for an interface that nobody makes",
    make: (host) => host.line(19, '      "wrapper": { "ifName": "eth2" },'),
    told: failing,
    says: ["config/zone.conflist:19:", "no plugin before", "eth2", "eth0", "eth1"],
  },
  {
    name: "the order was changed: portmap comes before its bridge",
    make: (host) => {
      host.line(11, '      "type": "portmap-wrapper",');
      for (const line of [13, 14, 15]) host.line(line, "");
      host.line(12, '      "wrapper": { "ifName": "eth1" }, "capabilities": { "portMappings": true }');
      host.line(18, '      "type": "bridge-wrapper",');
      host.line(20, '      "bridge": "disc0", "ipam": { "type": "host-local", "subnet": "172.26.64.0/20" }');
    },
    told: failing,
    says: ["config/zone.conflist:12:", "no plugin before portmap-wrapper makes eth1", "Put it after bridge-wrapper"],
  },
  {
    name: "portmap has no capabilities: no port is published",
    make: (host) => {
      host.line(19, '      "wrapper": { "ifName": "eth1" }');
      host.line(20, "");
    },
    told: misleading,
    says: ["config/zone.conflist:18:", "portMappings", '"capabilities": { "portMappings": true }'],
  },
  {
    name: "a capability is spelled portmappings",
    make: (host) => host.line(20, '      "capabilities": { "portmappings": true }'),
    told: misleading,
    says: ["config/zone.conflist:20:", "portmappings", '"portMappings"'],
  },
  {
    name: "a plugin's key is misspelled",
    make: (host) => host.line(14, '      "isGatway": true,'),
    told: misleading,
    says: ["config/zone.conflist:14:", "ignores the key isGatway", "isGateway"],
  },
  {
    name: "a plugin's number is in quotes",
    make: (host) => host.line(14, '      "isGateway": true, "mtu": "9000",'),
    told: failing,
    says: ["config/zone.conflist:14:", "mtu must be a number", "Write 9000 without quotes"],
  },
  {
    name: "dns is a text",
    make: (host) => host.line(14, '      "isGateway": true, "dns": "172.26.64.1",'),
    told: failing,
    says: ["config/zone.conflist:14:", "dns must be an object"],
  },
];
