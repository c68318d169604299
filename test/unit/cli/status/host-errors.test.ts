import { expect, test } from "vitest";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { networksIn } from "../../../../cli/live/networks.ts";
import { hostErrors } from "../../../../cli/needs/host-errors.ts";

const dhcp = (own: object = {}) => ({ type: "dhcp", ...own });
const macvlan = (ipam: object, wrapper: object = {}) => ({ type: "macvlan-wrapper", ipam, wrapper });

function errorsOf(plugins: readonly object[]): readonly string[] {
  const text = JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins });
  return hostErrors(networksIn([parseListFile("zone.conflist", text)]), { live: [], links: [], note: () => {} });
}

test.each([
  ["the daemon's usual socket", [macvlan(dhcp())], ["/run/cni/dhcp.sock"]],
  [
    "a socket of its own, once for two interfaces",
    [1, 2].map(() => macvlan(dhcp({ daemonSocketPath: "/no" }))),
    ["/no"],
  ],
  ["a socket that is there", [macvlan(dhcp({ DaemonSocketPath: "/proc/self/stat" }))], []],
  ["a program decides about ipam", [macvlan(dhcp(), { jq: '.ipam.type = "static"' })], []],
  ["a socket that is no path", [macvlan(dhcp({ daemonSocketPath: 7 }))], []],
  ["neither dhcp nor host-local", [macvlan({ type: "static", resolvConf: "/no" })], []],
  ["a log in a directory that the wrappers make", [macvlan({}, { log: { file: "/tmp/a/b/c.log" } })], []],
  ["a log from where the runtime was started", [macvlan({}, { log: { file: "package.json/x.log" } })], []],
  ["a log in no directory", [macvlan({}, { log: { file: "/dev/null/x.log" } })], ["/dev/null/x.log"]],
])("%s", (_, plugins, named) => {
  expect(errorsOf(plugins).map((line) => /(\/\S+?)[,:]/.exec(line)?.[1])).toEqual(named);
});

test("a log that is a directory", () => {
  const line = "zone.conflist: the wrappers cannot write the log /tmp: it is a directory";
  expect(errorsOf([macvlan({}, { log: { file: "/tmp" } })])).toEqual([line]);
});
