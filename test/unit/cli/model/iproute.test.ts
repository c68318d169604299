import { describe, expect, test } from "vitest";
import { ip, mountsOf } from "../../../../cli/model/iproute.ts";
import { Machine } from "../../../../cli/model/machine.ts";

const path = "/run/netns/blue";

function host() {
  const machine = new Machine();
  const namespace = machine.addNamespace(path);
  const run = (args: string, commands = "", netns?: string) => ip(machine, { args: args.split(" "), commands, netns });
  return { machine, namespace, run };
}

describe("routes, rules and addresses of a family, one line of JSON for each", () => {
  const { machine, namespace, run } = host();
  const eth0 = machine.addLink(namespace, "eth0", "veth");
  machine.addLink(namespace, "eth1", "macvlan");
  eth0.addresses = ["10.1.0.2/24", "fd00:1::2/64"];
  eth0.routes = [
    { dst: "10.1.0.0/24", gw: undefined, isConnected: true },
    { dst: "0.0.0.0/0", gw: "10.1.0.1", table: "10.1.0.2/24" },
    { dst: "::/0", gw: "fd00:1::1" },
  ];
  namespace.sources.set("10.1.0.2/24", new Map()).set("fd00:1::2/64", new Map());

  test.each<[string, object[], object[], object[]]>([
    [
      "-json -4 -batch -",
      [
        { dst: "10.1.0.0/24", dev: "eth0", table: "main" },
        { dst: "default", dev: "eth0", gateway: "10.1.0.1", table: "11010224" },
      ],
      [{ src: "10.1.0.2", table: "11010224" }],
      [{ local: "10.1.0.2", prefixlen: 24 }],
    ],
    [
      "-json -6 -batch -",
      [{ dst: "default", dev: "eth0", gateway: "fd00:1::1", table: "main" }],
      [{ src: "fd00:1::2", table: "1001264" }],
      [{ local: "fd00:1::2", prefixlen: 64 }],
    ],
  ])("ip %s", (args, routes, rules, addresses) => {
    const links = [
      { ifname: "eth0", addr_info: addresses },
      { ifname: "eth1", addr_info: [] },
    ];
    const lines = run(args, "", path)?.split("\n");
    expect(lines?.pop()).toBe("");
    expect(lines?.map((line) => JSON.parse(line))).toEqual([routes, rules, links]);
  });

  test("there are none without a namespace", () => {
    expect(run("-json -4 -batch -", "", "/run/netns/red")).toBeUndefined();
    expect(run("-json -4 -batch -")).toBeUndefined();
  });
});

describe("a namespace that a wrapper lends to a DEL", () => {
  test("is made and removed once", () => {
    const { machine, run } = host();
    expect(run("netns add blue")).toBeUndefined();
    expect(run("netns add red")).toBe("");
    expect([...machine.namespaces.keys()]).toEqual([path, "/run/netns/red"]);
    expect(
      mountsOf(machine)
        .split("\n")
        .map((line) => line.split(" ").slice(3, 6)),
    ).toEqual([
      [`net:[${machine.namespaces.get(path)?.inode}]`, path, "rw"],
      [`net:[${machine.namespaces.get("/run/netns/red")?.inode}]`, "/run/netns/red", "rw"],
      [],
    ]);
    expect(run("netns delete red")).toBe("");
    expect(run("netns delete red")).toBeUndefined();
    expect([...machine.namespaces.keys()]).toEqual([path]);
  });

  test.each(["-netns blue -batch -", "-force -batch -"])("gets its links and addresses: ip %s", (args) => {
    const { namespace, run } = host();
    const commands = [
      "link add name eth0 type dummy",
      "link set eth0 up",
      "address add 10.1.0.2/24 dev eth0",
      "address replace fd00:1::2/64 dev eth0",
      "address replace 10.1.0.2/24 dev eth0",
      "address add 10.9.0.2/24 dev eth9",
    ];
    expect(run(args, `${commands.join("\n")}\n`, path)).toBe("");
    expect([...namespace.links.keys()]).toEqual(["eth0"]);
    expect(namespace.links.get("eth0")).toMatchObject({
      index: 2,
      kind: "dummy",
      mac: "",
      hostMac: "",
      addresses: ["10.1.0.2/24", "fd00:1::2/64"],
      routes: [
        { dst: "10.1.0.0/24", gw: undefined, isConnected: true },
        { dst: "fd00:1::/64", gw: undefined, isConnected: true },
      ],
      attributes: new Map(),
      by: new Map(),
    });
  });

  test.each(["-netns red -batch -", "-force -batch -"])("is missing: ip %s", (args) => {
    expect(host().run(args, "link add name eth0 type dummy\n", "/run/netns/red")).toBeUndefined();
  });
});

test("a router has given each interface an address and a default route", () => {
  const { run } = host();
  const answer = (args: string) => JSON.parse(run(args) ?? "");
  expect(answer("-json -6 route show default dev eth0")).toEqual([{ dst: "default", gateway: "fe80::1" }]);
  expect(answer("-json -6 address show dev eth0")).toEqual([
    {
      ifname: "eth0",
      flags: ["UP"],
      addr_info: [{ family: "inet6", local: "2001:db8::5", prefixlen: 64, scope: "global", dynamic: true }],
    },
  ]);
});
