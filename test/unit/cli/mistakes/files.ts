import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { type Mistake, shop, zone } from "./mistake.ts";

/** A runtime that loads the list fails: Nomad does not start. */
const unloaded = { lint: 1, status: 2, preflight: 2 };

/** Mistakes in the files of the lists. */
export const fileMistakes: readonly Mistake[] = [
  {
    name: "an editor has put a byte order mark before the list",
    make: (host) => host.write("config/zone.conflist", `\uFEFF${zone}`),
    told: unloaded,
    says: ["config/zone.conflist:1:1", "byte order mark"],
  },
  {
    name: "a file was cut off after its first brace",
    make: (host) => host.write("config/late.conflist", "{"),
    told: unloaded,
    says: ["config/late.conflist:1:2", "closing brace"],
  },
  {
    name: "an editor has saved the list as UTF-16",
    make: (host) => host.write("config/zone.conflist", Buffer.from(`\uFEFF${zone}`, "utf16le")),
    told: unloaded,
    says: ["config/zone.conflist:1:1", "UTF-8"],
  },
  {
    name: "a file is empty: the disk was full",
    make: (host) => host.write("config/zone.conflist", ""),
    told: unloaded,
    says: ["config/zone.conflist:", "the file is empty", "Write a list"],
  },
  {
    name: "a comma after the last entry",
    make: (host) => host.line(20, '      "capabilities": { "portMappings": true },'),
    told: unloaded,
    says: ["config/zone.conflist:21:5", "a key is expected"],
  },
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
    name: "the list is named .json",
    make: (host) => renameSync(host.path("config/zone.conflist"), host.path("config/zone.json")),
    told: unloaded,
    says: ["config/zone.json:", ".conflist"],
  },
  {
    name: "the list's ending is misspelled: no runtime reads it, and nobody says so",
    make: (host) => renameSync(host.path("config/zone.conflist"), host.path("config/zone.conflst")),
    told: unloaded,
    says: ["config/zone.conflst:", "no runtime reads", "Let the file end with .conflist"],
  },
  {
    name: "the list's ending is in capitals",
    make: (host) => renameSync(host.path("config/zone.conflist"), host.path("config/ZONE.CONFLIST")),
    told: unloaded,
    says: ["config/ZONE.CONFLIST:", "no runtime reads", "Let the file end with .conflist"],
  },
  {
    name: "one plugin's configuration, without plugins, is named .conflist",
    make: (host) => host.write("config/late.conflist", '{ "cniVersion": "1.0.0", "name": "late", "type": "bridge" }'),
    told: unloaded,
    says: ["config/late.conflist:1:", "plugins"],
  },
  {
    name: "a link among the lists leads nowhere: the other disk is not mounted",
    make: (host) => symlinkSync("/nowhere/late.conflist", host.path("config/late.conflist")),
    told: { status: 2, preflight: 2, adopt: 2, prune: 2 },
    says: ["config/late.conflist", "no such file"],
  },
  {
    name: "a directory has the name of a list",
    make: (host) => mkdirSync(host.path("config/late.conflist")),
    told: { status: 2, preflight: 2, adopt: 2, prune: 2 },
    says: ["config/late.conflist", "directory"],
  },
  {
    name: "a copy of the list is kept next to it, and comes first",
    make: (host) => host.write("config/old-zone.conflist", zone.replace("172.26", "172.27")),
    told: { lint: 1 },
    says: ["config/zone.conflist:3:", "old-zone.conflist has this name too", "Delete or rename"],
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
  {
    name: "the wrong file is given to --with",
    before: (host) => {
      host.write("new.conflist", zone);
      host.write("sohp.conflist", shop.replace('"shop"', '"sohp"'));
      host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" });
    },
    right: "preflight --with new.conflist",
    told: { "preflight --with sohp.conflist": 2 },
    says: ["sohp.conflist", "no attachment has its network sohp", "there are: zone"],
  },
];
