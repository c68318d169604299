import { expect, test } from "vitest";
import { ipamProblems } from "../../../../cli/needs/host-errors.ts";
import { sysctlProblems } from "../../../../cli/needs/sysctls.ts";
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
  ["dataDir from where the runtime was started", hostLocal({ dataDir: "leases" }), []],
])("%s", (_, plugin, told) => {
  expect(ipamProblems(plugin)).toEqual(told.map((words) => expect.stringContaining(words)));
});

// The kernel decides which sysctls a new network namespace has.
test.each([
  ["misspelled", { "net.ipv4.ip_froward": "1" }, ["no sysctl net.ipv4.ip_froward"]],
  ["with slashes", { "net/ipv4/ip_froward": "1" }, ["no sysctl net/ipv4/ip_froward"]],
  ["outside of net", { "kernel.shmmax": "1" }, ["outside of net, such as kernel.shmmax"]],
  ["there", { "net.ipv4.ip_forward": "1", "net/ipv4/ip_forward": "1" }, []],
  ["of an interface that the container will have", { "net.ipv4.conf.IFNAME.no_such": "1" }, []],
  ["of a module that may come", { "net.netfilter.no_such": "1", "net.bridge.no_such": "1" }, []],
  ["in a directory that a module may bring", { "net.no_such.name": "1" }, []],
])("a sysctl: %s", (_, sysctl, told) => {
  const lines = sysctlProblems(pluginOf({ type: "tuning-wrapper", sysctl }));
  expect(lines).toEqual(told.map((words) => expect.stringContaining(words)));
  expect(sysctlProblems(pluginOf({ type: "tuning-wrapper", wrapper: { jq: "." }, sysctl }))).toEqual([]);
});
