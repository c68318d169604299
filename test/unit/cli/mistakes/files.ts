import { renameSync } from "node:fs";
import type { Mistake } from "./mistake.ts";

/** A runtime that loads the list fails: Nomad does not start. */
const unloaded = { lint: 1, status: 2, preflight: 2 };

/** Mistakes in the files of the lists. */
export const fileMistakes: readonly Mistake[] = [
  {
    name: "a comment, as in HCL",
    make: (host) => host.line(7, '      "master": "lo", // not ens19'),
    told: unloaded,
    says: ["config/zone.conflist:7:23", "comment"],
  },
  {
    name: "quotes from a word processor",
    make: (host) => host.line(3, "  “name”: “zone”,"),
    told: unloaded,
    says: ["config/zone.conflist:3:3", "quote"],
  },
  {
    name: "the list's ending is in capitals",
    make: (host) => renameSync(host.path("config/zone.conflist"), host.path("config/ZONE.CONFLIST")),
    told: unloaded,
    says: ["config/ZONE.CONFLIST:", "no runtime reads", "Let the file end with .conflist"],
  },
  {
    name: "the list of running containers is deleted",
    before: (host) => host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" }),
    make: (host) => host.remove("config/zone.conflist"),
    told: { preflight: 1, adopt: 1 },
    says: ["no list in the directories defines the network zone"],
  },
  {
    name: "the list of running containers is renamed",
    before: (host) => host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" }),
    make: (host) => host.line(3, '  "name": "zone2",'),
    told: { preflight: 1, adopt: 1 },
    says: ["zone c1", "no list in the directories defines the network zone"],
  },
  {
    name: "the list of running containers is moved to another directory",
    before: (host) => host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" }),
    make: (host) => renameSync(host.path("config/zone.conflist"), host.path("elsewhere/zone.conflist")),
    told: { preflight: 1 },
    says: ["no list in the directories defines the network zone", "looked at: lists in", "/config"],
  },
  {
    name: "the list of running containers has a comma too many",
    before: (host) => host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" }),
    make: (host) => host.line(9, "    },,"),
    told: { preflight: 2, status: 2 },
    says: ["config/zone.conflist:9:7", "zone"],
  },
];
