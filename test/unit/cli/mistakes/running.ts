import { mkdirSync } from "node:fs";
import type { Mistake, MistakenHost } from "./mistake.ts";

const running = (host: MistakenHost) => host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" });

/** Mistakes under containers that run. */
export const runningMistakes: readonly Mistake[] = [
  {
    name: "the subnet is changed under running containers",
    before: running,
    make: (host) => host.line(15, '      "ipam": { "type": "host-local", "subnet": "172.30.0.0/20" }'),
    told: { preflight: 1 },
    says: ["zone c1", "172.26.64.2/20", "172.30.0.0/20", "undo the change"],
  },
  {
    name: "a namespace was deleted by hand",
    before: running,
    make: (host) => host.attach("zone", { eth0: "172.16.5.11/24" }, "/run/netns/no-such-namespace"),
    told: { status: 1 },
    says: ["results without a namespace: 1"],
  },
  {
    name: "the wrong directory of lists",
    before: (host) => {
      running(host);
      mkdirSync(host.path("net.d"));
    },
    right: "preflight",
    told: { "preflight --config-dir {host}/net.d": 1, "status --config-dir {host}/net.d": 1 },
    says: ["looked at: lists in", "/net.d"],
  },
  {
    name: "a directory of lists that does not exist",
    before: running,
    right: "preflight",
    told: { "preflight --config-dir {host}/confg": 2, "status --config-dir {host}/confg": 2 },
    says: ["/confg", "there is no such file"],
  },
  {
    name: "the wrong directory of plugins",
    before: running,
    right: "preflight",
    told: { "preflight --cni-path {host}/elsewhere": 1 },
    says: ["zone c1", 'failed to find plugin "macvlan-wrapper" in path', "/elsewhere"],
  },
  {
    name: "a log is named that is not there",
    before: running,
    right: "status",
    told: { "status --log wrappers.log": 2 },
    says: ["--log wrappers.log", "there is no such file"],
  },
];
