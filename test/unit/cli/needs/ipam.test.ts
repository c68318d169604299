import { expect, test } from "vitest";
import { ipamProblems } from "../../../../cli/needs/host-errors.ts";
import { pluginOf } from "./support.ts";

const hostLocal = (own: object, wrapper: object = {}) =>
  pluginOf({ type: "macvlan-wrapper", wrapper, ipam: { type: "host-local", subnet: "172.16.5.0/24", ...own } });

test.each([
  ["resolvConf", hostLocal({ resolvConf: "/no/resolv.conf" }), ["/no/resolv.conf (resolvConf), which is not there"]],
  ["resolvConf in another spelling", hostLocal({ resolvconf: "/no/resolv.conf" }), ["/no/resolv.conf (resolvConf)"]],
  ["resolvConf that is there", hostLocal({ resolvConf: "/proc/self/stat" }), []],
  ["resolvConf from where the runtime was started", hostLocal({ resolvConf: "resolv.conf" }), []],
  ["resolvConf, and a program decides", hostLocal({ resolvConf: "/no/resolv.conf" }, { jq: "." }), []],
  ["dataDir below a file", hostLocal({ dataDir: "/proc/self/stat/leases" }), ["/proc/self/stat: is not a directory"]],
  ["dataDir that host-local makes", hostLocal({ dataDir: "/tmp/no/leases" }), []],
  ["dataDir from where the runtime was started", hostLocal({ dataDir: "package.json/leases" }), []],
])("%s", (_, plugin, told) => {
  expect(ipamProblems(plugin)).toEqual(told.map((words) => expect.stringContaining(words)));
});
