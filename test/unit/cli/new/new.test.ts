import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { lintFiles } from "../../../../cli/lint/lint.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { newList, presets } from "../../../../cli/new/new-list.ts";
import { type HostNetworks, readHostNetworks, type Values } from "../../../../cli/new/values.ts";
import { scratch, temporary } from "../../../support/scratch.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { intercept } from "../../support/file-functions.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

/** A host with a card in 172.16.5.0/24, and a bridge of its own. */
const host: HostNetworks = {
  links: ["lo", "ens18", "ens19"].map((ifname, index) => ({ ifindex: index + 1, ifname })),
  interfaces: [
    { name: "ens18", addresses: ["172.16.5.7/24", "fe80::7/64"] },
    { name: "ens19", addresses: [] },
  ],
  gateway: "172.16.5.1",
  subnets: ["172.16.5.7/24", "172.26.80.1/20"],
};

function textFor(preset: string, options: Values = {}): string {
  return newList(preset, options, host).text;
}

function listFor(...args: Parameters<typeof textFor>) {
  return JSON.parse(textFor(...args));
}

describe("without options the host's networks decide", () => {
  // The upper half of the card's network.
  const ofLan = {
    ...{ subnet: "172.16.5.0/24", gateway: "172.16.5.1" },
    ...{ rangeStart: "172.16.5.128", rangeEnd: "172.16.5.254" },
  };

  test("nomad-bridge: all that Nomad's own list has, and the wrapper", () => {
    expect(textFor("nomad-bridge")).toBe(`{
  "cniVersion": "1.0.0",
  "name": "nomad-bridge",
  "plugins": [
    { "type": "loopback" },
    {
      "type": "bridge-wrapper",
      "bridge": "br-nomad-bridge",
      "ipMasq": true,
      "isGateway": true,
      "forceAddress": true,
      "hairpinMode": false,
      "ipam": { "type": "host-local", "ranges": [[{ "subnet": "172.26.96.0/20" }]], "routes": [{ "dst": "0.0.0.0/0" }], "dataDir": "/var/run/cni" }
    },
    { "type": "firewall", "backend": "iptables", "iptablesAdminChainName": "NOMAD-ADMIN" },
    { "type": "portmap", "capabilities": { "portMappings": true }, "snat": true }
  ]
}
`);
  });

  test("macvlan+bridge", () => {
    const { name, plugins } = listFor("macvlan+bridge");
    expect(name).toBe("zone");
    expect(plugins).toEqual([
      {
        ...{ type: "macvlan-wrapper", master: "ens18" },
        ipam: { type: "host-local", ranges: [[ofLan]], routes: [{ dst: "0.0.0.0/0" }] },
      },
      {
        type: "bridge-wrapper",
        wrapper: { ifName: "eth1" },
        bridge: "br-zone",
        isGateway: true,
        ipam: { type: "host-local", ranges: [[{ subnet: "172.26.96.0/20" }]] },
      },
    ]);
  });

  test("dual-stack", () => {
    const { plugins } = listFor("dual-stack");
    expect(plugins).toEqual([
      {
        type: "bridge-wrapper",
        bridge: "br-dual",
        ipMasq: true,
        isGateway: true,
        ipam: {
          type: "host-local",
          ranges: [
            [{ subnet: "172.26.96.0/20" }],
            // printf dual | sha256sum
            [{ subnet: "fd8c:cf2f:9e9c::/64" }],
          ],
          routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
        },
      },
      {
        type: "macvlan-wrapper",
        wrapper: { ifName: "eth1" },
        master: "ens18",
        ipam: { type: "host-local", ranges: [[ofLan]] },
      },
    ]);
  });

  test("addresses of the host and of the gateway are left out", () => {
    const far = { ...host, interfaces: [{ name: "ens18", addresses: ["172.16.5.250/24"] }], gateway: "172.16.5.254" };
    const { text, note } = newList("macvlan+bridge", {}, far);
    expect(text).toContain('"rangeStart": "172.16.5.128", "rangeEnd": "172.16.5.249", "gateway": "172.16.5.254"');
    expect(note).toBe(
      "Containers get addresses of 172.16.5.0/24 from 172.16.5.128 to 172.16.5.249. No other host or DHCP server may give them out.",
    );
  });

  test("a master that this host does not have is named", () => {
    const noteOf = (master: string) => newList("macvlan+bridge", { master, lan: "10.7.0.0/24" }, host).note;
    expect(noteOf("ens19")).not.toContain("ens19");
    const missing = /give them out\.\nThis host has no interface ens20 now: ADD fails until it has one\.$/;
    expect(noteOf("ens20")).toMatch(missing);
  });

  test("a host without addresses tells too little", () => {
    const bare = { links: [], interfaces: [], gateway: undefined, subnets: [] };
    const made = (options: Values) => newList("macvlan+bridge", options, bare);
    expect(made({ master: "ens18", lan: "10.1.0.0/24" }).note).toMatch(/give them out\.$/);
    expect(() => made({})).toThrow("--master is missing: this host does not tell the host interface");
    expect(() => made({ master: "ens18" })).toThrow("--lan is missing: this host does not tell the subnet");
    expect(JSON.parse(made({ master: "ens18", lan: "10.1.0.0/16" }).text).plugins[0].ipam.ranges).toEqual([
      [{ subnet: "10.1.0.0/16", rangeStart: "10.1.128.0", rangeEnd: "10.1.255.254", gateway: "10.1.0.1" }],
    ]);
  });
});

test("options decide everything", () => {
  const nomad = listFor("nomad-bridge", {
    ...{ name: "lan", cniVersion: "0.4.0", bridge: "lan0", subnet: "10.9.0.0/24", subnet6: "fd00:9::/64" },
    adminChain: "MY-ADMIN",
  });
  expect(newList("nomad-bridge", {}, host).note).toBeUndefined();
  expect(listFor("nomad-bridge", { name: "a-very-long-name" }).plugins[1].bridge).toBe("br-a-very-long-");
  expect(() => textFor("bridge")).toThrow("bridge is not a preset");
  expect(nomad).toMatchObject({ cniVersion: "0.4.0", name: "lan" });
  expect(nomad.plugins[1]).toMatchObject({
    bridge: "lan0",
    ipam: {
      ranges: [[{ subnet: "10.9.0.0/24" }], [{ subnet: "fd00:9::/64" }]],
      routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
    },
  });
  expect(nomad.plugins[2]).toMatchObject({ iptablesAdminChainName: "MY-ADMIN" });
  const range = { rangeStart: "10.8.0.20", rangeEnd: "10.8.0.29", gateway: "10.8.0.9" };
  const lan = { master: "ens20", lan: "10.8.0.0/24", lanStart: "10.8.0.20", lanEnd: "10.8.0.29", gateway: "10.8.0.9" };
  expect(listFor("macvlan+bridge", lan).plugins[0]).toMatchObject({
    master: "ens20",
    ipam: { ranges: [[{ subnet: "10.8.0.0/24", ...range }]] },
  });
});

test.each([
  ["name", "my zone", 'the name "my zone" must begin with a letter or digit'],
  ["cniVersion", "0.3.1", "cniVersion 0.3.1 has no CHECK"],
  ["cniVersion", "1.2.0", 'the specification has no version "1.2.0"'],
  ["lan", "10.0.0.1/24", "10.0.0.1/24 is not the address of a network"],
  ["lan", "fd00::/64", "--lan: fd00::/64 must be a subnet such as 10.1.0.0/24"],
  ["lan", "10.0.0.0", "--lan: 10.0.0.0 must be a subnet such as 10.1.0.0/24"],
  ["lanStart", "172.16.6.1", "rangeStart 172.16.6.1 is not in 172.16.5.0/24"],
  ["lanEnd", "172.16.5.1", "rangeEnd comes before rangeStart"],
  ["lanStart", "172.16.5.0", "--lan-start: 172.16.5.0 is the address of the network itself"],
  ["lanEnd", "172.16.5.255", "--lan-end: 172.16.5.255 is the broadcast address of the network"],
  ["gateway", "172.16.6.1", "the gateway 172.16.6.1 is not in 172.16.5.0/24"],
  ["bridge", "eth1", "eth1 is the plugin's own bridge, too"],
  ["bridge", "a/b", "bridge must not contain"],
  ["subnet", "fd00::/64", "--subnet: fd00::/64 must be a subnet such as 10.1.0.0/24"],
  ["subnet", "172.16.0.0/16", "eth1 can get 172.16.5.128, and so can eth0"],
  ["adminChain", "X", "--admin-chain has no use in this preset"],
  ["subnet6", "fd00::/64", "--subnet6 has no use in this preset"],
])("--%s %s is refused", (name, value, message) => {
  expect(() => textFor("macvlan+bridge", { [name]: value })).toThrow(message);
});

const versions = ["0.4.0", "1.0.0", "1.1.0"];
const rows = Object.keys(presets).flatMap((preset) => versions.map((cniVersion) => ({ preset, cniVersion })));

test.each(rows)("every list that it prints passes lint: $preset $cniVersion", ({ preset, cniVersion }) => {
  for (const more of preset === "nomad-bridge" ? [{}, { subnet6: "fd00:9::/64" }] : [{}]) {
    const text = textFor(preset, { cniVersion, ...more });
    expect(lintFiles([parseListFile("new.conflist", text)])).toEqual([]);
  }
});

test("what of a host's networks a new list depends on", async () => {
  const bin = temporary();
  setVariable("PATH", bin);
  const print = (links: object[], routes?: object[]) => {
    const answer = routes ? `echo '${JSON.stringify(routes)}'` : "exit 1";
    const script = `if [ "$*" = "-json route show" ]; then ${answer}; else echo '${JSON.stringify(links)}'; fi`;
    writeProgram(path.join(bin, "ip"), script);
  };
  const link = (ifname: string, own: object = {}, ...addresses: string[]) => ({
    ...{ ifindex: 1, ifname, ...own },
    addr_info: addresses.map((local) => ({ local, prefixlen: 24, scope: "global" })),
  });
  const links = [
    link("lo", {}, "127.0.0.1"),
    link("ens18", {}, "10.1.0.7"),
    link("ens19", { linkinfo: { info_kind: "bond" } }, "10.2.0.7", "10.3.0.7"),
    link("docker0", { linkinfo: { info_kind: "bridge" } }, "10.4.0.1"),
    link("tap0", { linkinfo: { info_kind: "tun" } }),
    link("ens20", { master: "docker0" }),
    { ifindex: 9, ifname: "ens21" },
  ];
  const way = (dev: string) => [
    { dst: "10.9.0.0/16", dev: "ens18" },
    { dst: "default", gateway: "10.2.0.1", dev },
    { dst: "default", gateway: "10.1.0.1", dev: "ens18" },
  ];
  const own = ["127.0.0.1/24", "10.1.0.7/24", "10.2.0.7/24", "10.3.0.7/24", "10.4.0.1/24"];
  const [first, second, third] = [
    { name: "ens18", addresses: ["10.1.0.7/24"] },
    { name: "ens19", addresses: ["10.2.0.7/24", "10.3.0.7/24"] },
    { name: "ens21", addresses: [] },
  ];
  print(links, way("ens19"));
  expect(await readHostNetworks()).toEqual({
    ...{ links, interfaces: [second, first, third], gateway: "10.2.0.1" },
    subnets: [...own, "10.9.0.0/16", "default", "default"],
  });
  print(links, way("docker0"));
  expect(await readHostNetworks()).toMatchObject({ interfaces: [first, second, third], gateway: undefined });
  print(links);
  expect(await readHostNetworks()).toEqual({
    ...{ links, interfaces: [first, second, third], gateway: undefined, subnets: own },
  });
  rmSync(path.join(bin, "ip"));
  expect(await readHostNetworks()).toEqual({ links: [], interfaces: [], gateway: undefined, subnets: [] });
});

describe("the command", () => {
  const directory = scratch();
  const run = (...args: string[]) => runCommand(["new", ...args], { directory });
  const options = ["macvlan+bridge", "--master", "ens18", "--lan", "10.7.0.0/24", "--subnet", "10.8.0.0/24"];

  test("writes a file, and replaces one only with --force", async () => {
    const { stdout: text, stderr: note } = await run(...options);
    expect(JSON.parse(text)).toMatchObject({ name: "zone" });
    expect(note).toMatch(/^Containers get addresses of 10\.7\.0\.0\/24 from .*\.\n/);
    const first = await run(...options, "--output", "zone.conflist");
    expect(first).toEqual({ exitCode: 0, stdout: "", stderr: `Wrote zone.conflist.\n${note}` });
    const file = path.join(directory, "zone.conflist");
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(await run("nomad-bridge", "--subnet", "10.8.0.0/24")).toMatchObject({ exitCode: 0, stderr: "" });
    writeFileSync(file, "mine");
    expect(await run(...options, "--output", "zone.conflist")).toEqual(
      trouble("zone.conflist exists; --force replaces it"),
    );
    expect(await run(...options, "--output", ".")).toEqual(trouble(". is a directory: name a file in it"));
    expect(readFileSync(file, "utf8")).toBe("mine");
    await run(...options, "--output", "zone.conflist", "--force");
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("another user who makes the file meanwhile does not own the list", async () => {
    const file = path.join(directory, "zone.conflist");
    intercept("existsSync", (actual) => (asked: string) => {
      const isThere = actual(asked);
      if (asked === file && !isThere) {
        writeFileSync(file, "");
        chownSync(file, 1234, 1234);
      }
      return isThere;
    });
    const words = ["--subnet", "10.8.0.0/24", "--output", "zone.conflist"];
    expect(await run("nomad-bridge", ...words)).toEqual(trouble("zone.conflist exists; --force replaces it"));
    expect([readFileSync(file, "utf8"), statSync(file).uid]).toEqual(["", 1234]);
  });

  test("gives out no addresses of another list of the directory without --force", async () => {
    const write = (name: string, output: string, subnet = "10.8.0.0/24", ...more: string[]) =>
      run("nomad-bridge", "--subnet", subnet, "--name", name, "--output", output, ...more);
    await write("one", "1.conflist");
    const both = "eth0 can get 10.8.0.2, and so can eth0 of one (1.conflist): two containers would have one address";
    const cure = "Use another subnet, or divide this one with rangeStart and rangeEnd, or write it with --force";
    expect(await write("two", "0.conflist")).toEqual(trouble(`0.conflist: ${both}. ${cure}`));
    expect(existsSync(path.join(directory, "0.conflist"))).toBe(false);
    expect(await write("two", "0.conflist", "10.9.0.0/24")).toMatchObject({ exitCode: 0 });
    expect(await write("two", "2.conflist.new")).toMatchObject({ exitCode: 0 });
    expect(await write("three", "3.conflist", "10.8.0.0/24", "--force")).toMatchObject({ exitCode: 0 });
  });

  test("takes no network over from another list of the directory without --force", async () => {
    const lists = path.join(directory, "lists");
    mkdirSync(lists);
    const running = JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins: [{ type: "ptp" }] });
    writeFileSync(path.join(lists, "zone.conflist"), running);
    const written = async (...more: string[]) => {
      const { exitCode, stderr } = await run(...options, ...more);
      return [exitCode, stderr.split("\n")[0]];
    };
    const taken = `${lists}/zone.conflist defines a network of this name, and runtimes read only one of them`;
    const cure = "choose another with --name, or another directory, or write it with --force";
    const refused = trouble(`lists/10.conflist: ${taken}; ${cure}`);
    expect(await run(...options, "--output", "lists/10.conflist")).toEqual(refused);
    expect(readdirSync(lists)).toEqual(["zone.conflist"]);
    expect(await written("--output", "lists/11.conflist", "--name", "other")).toEqual([0, "Wrote lists/11.conflist."]);
    expect(await written("--output", "lists/zone.conflist.new")).toEqual([0, "Wrote lists/zone.conflist.new."]);
    for (const [name, reason] of [
      ["12.conf", "runtimes read a .conf as one plugin, and this is a list"],
      ["12.conflst", "no runtime reads a file that ends with .conflst"],
    ] as const) {
      const outcome = await run(...options, "--output", `lists/${name}`, "--force");
      const line = expect.stringMatching(
        `^cni-wrappers: .*/lists/${name}:\\d+:\\d+: ${reason}. Let the file end with .conflist\n$`,
      );
      expect(outcome).toEqual({ exitCode: 2, stdout: "", stderr: line });
      expect(existsSync(path.join(directory, "lists", name))).toBe(false);
    }
    expect(await written("--output", "lists/10.conflist", "--force")).toEqual([0, "Wrote lists/10.conflist."]);
    const [exitCode, line] = await written("--output", "none/zone.conflist");
    expect([exitCode, line]).toEqual([2, expect.stringContaining("its directory is missing")]);
    const long = await run(...options, "--output", "x".repeat(300));
    expect(long).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^cni-wrappers: .*\n$/) });
  });
});
