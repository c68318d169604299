import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lintFiles } from "../../../../cli/lint/lint.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { asker, askPreset } from "../../../../cli/new/ask.ts";
import { completeValues } from "../../../../cli/new/complete.ts";
import { creators, parseAddition } from "../../../../cli/new/creators.ts";
import type { Values } from "../../../../cli/new/fields.ts";
import { type HostNetworks, parseRoutes, readHostNetworks } from "../../../../cli/new/host-networks.ts";
import { listText, newList } from "../../../../cli/new/new-list.ts";
import { type Preset, presets } from "../../../../cli/new/presets.ts";
import { profiles } from "../../../../plugins/index.ts";
import { runCommand } from "../../support/fake-terminal.ts";

const root = path.join(import.meta.dirname, "../../../..");

/** A host with a card in 172.16.5.0/24, and a bridge of its own. */
const host: HostNetworks = {
  interfaces: [
    { name: "ens18", addresses: ["172.16.5.7/24", "fe80::7/64"] },
    { name: "ens19", addresses: [] },
  ],
  gateway: "172.16.5.1",
  subnets: ["172.16.5.7/24", "172.26.80.1/20"],
};

async function textFor(preset: string, options: Values & { add?: string[]; hairpin?: true; consul?: true } = {}) {
  const { add = [], ...rest } = options;
  return (await newList({ preset, options: { ...rest, add }, host, ask: undefined })).text;
}

async function listFor(...args: Parameters<typeof textFor>) {
  return JSON.parse(await textFor(...args));
}

describe("without options the host's networks decide", () => {
  test("nomad-bridge: all that Nomad's own list has, and the wrapper", async () => {
    expect(await textFor("nomad-bridge")).toBe(`{
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
      "ipam": {
        "type": "host-local",
        "ranges": [[{ "subnet": "172.26.96.0/20" }]],
        "routes": [{ "dst": "0.0.0.0/0" }],
        "dataDir": "/var/run/cni"
      }
    },
    {
      "type": "firewall",
      "backend": "iptables",
      "iptablesAdminChainName": "NOMAD-ADMIN"
    },
    {
      "type": "portmap",
      "capabilities": { "portMappings": true },
      "snat": true
    }
  ]
}
`);
  });

  test("macvlan+bridge", async () => {
    const { name, plugins } = await listFor("macvlan+bridge");
    expect(name).toBe("zone");
    expect(plugins).toEqual([
      {
        type: "macvlan-wrapper",
        master: "ens18",
        ipam: {
          type: "host-local",
          ranges: [[{ subnet: "172.16.5.0/24", rangeStart: "172.16.5.128", gateway: "172.16.5.1" }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
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

  test("dual-stack", async () => {
    const { plugins } = await listFor("dual-stack");
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
            [{ subnet: expect.stringMatching(/^fd[0-9a-f]{2}:[0-9a-f:]+::\/64$/) }],
          ],
          routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
        },
      },
      {
        type: "macvlan-wrapper",
        wrapper: { ifName: "eth1" },
        master: "ens18",
        ipam: {
          type: "host-local",
          ranges: [[{ subnet: "172.16.5.0/24", rangeStart: "172.16.5.128", gateway: "172.16.5.1" }]],
        },
      },
    ]);
  });

  test("addresses of the host and of the gateway are left out", async () => {
    const far = { ...host, interfaces: [{ name: "ens18", addresses: ["172.16.5.250/24"] }], gateway: "172.16.5.254" };
    const { text, note } = await newList({ preset: "macvlan+bridge", options: { add: [] }, host: far, ask: undefined });
    expect(text).toContain('"rangeStart": "172.16.5.128", "rangeEnd": "172.16.5.249", "gateway": "172.16.5.254"');
    expect(note).toBe(
      "Containers get addresses of 172.16.5.0/24 from 172.16.5.128 to 172.16.5.249. No other host or DHCP server may give them out.",
    );
  });

  test("a host without addresses tells too little", async () => {
    const bare = { interfaces: [], gateway: undefined, subnets: [] };
    const made = (options: Values) =>
      newList({ preset: "macvlan+bridge", options: { ...options, add: [] }, host: bare, ask: undefined });
    await expect(made({})).rejects.toThrow("--master is missing: this host does not tell the host interface");
    await expect(made({ master: "ens18" })).rejects.toThrow("--lan is missing: this host does not tell the subnet");
    expect(JSON.parse((await made({ master: "ens18", lan: "10.1.0.0/16" })).text).plugins[0].ipam.ranges).toEqual([
      [{ subnet: "10.1.0.0/16", rangeStart: "10.1.128.0", gateway: "10.1.0.1" }],
    ]);
  });
});

test("options decide everything", async () => {
  const nomad = await listFor("nomad-bridge", {
    ...{ name: "lan", cniVersion: "0.4.0", bridge: "lan0", subnet: "10.9.0.0/24", subnet6: "fd00:9::/64" },
    ...{ adminChain: "MY-ADMIN", hairpin: true, consul: true },
  });
  expect(nomad).toMatchObject({ cniVersion: "0.4.0", name: "lan" });
  expect(nomad.plugins[1]).toMatchObject({
    ...{ bridge: "lan0", hairpinMode: true },
    ipam: {
      ranges: [[{ subnet: "10.9.0.0/24" }], [{ subnet: "fd00:9::/64" }]],
      routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
    },
  });
  expect(nomad.plugins[2]).toMatchObject({ iptablesAdminChainName: "MY-ADMIN" });
  expect(nomad.plugins[4]).toEqual({ type: "consul-cni", log_level: "debug" });
  const lan = { master: "ens20", lan: "10.8.0.0/24", lanStart: "10.8.0.20", gateway: "10.8.0.9" };
  expect((await listFor("macvlan+bridge", lan)).plugins[0]).toMatchObject({
    master: "ens20",
    ipam: { ranges: [[{ subnet: "10.8.0.0/24", rangeStart: "10.8.0.20", gateway: "10.8.0.9" }]] },
  });
});

describe("--add", () => {
  const added = async (...add: string[]) => {
    const { plugins } = await listFor("macvlan+bridge", { add });
    return plugins.slice(2).map(({ type, wrapper, ipam, ...rest }: Record<string, unknown>) => {
      return {
        type,
        ...(wrapper as object),
        subnet: (ipam as { ranges: { subnet: string }[][] }).ranges[0]?.[0]?.subnet,
        ...rest,
      };
    });
  };

  test("gives each interface a free name and a free subnet", async () => {
    expect(await added("tap", "ptp:eth3", "dummy")).toEqual([
      { type: "tap-wrapper", ifName: "eth2", subnet: "172.26.112.0/20" },
      { type: "ptp-wrapper", ifName: "eth3", subnet: "172.26.128.0/20" },
      { type: "dummy-wrapper", ifName: "eth4", subnet: "172.26.144.0/20" },
    ]);
  });

  test("takes a plugin's own keys", async () => {
    expect(
      await added(
        "ipvlan:lan0:master=ens19,subnet=10.3.0.0/24",
        "vlan:vlanId=5",
        "bridge:bridge=lab0",
        "host-device:device=ens20",
        "macvlan",
        "bridge",
      ),
    ).toEqual([
      { type: "ipvlan-wrapper", ifName: "lan0", subnet: "10.3.0.0/24", master: "ens19" },
      { type: "vlan-wrapper", ifName: "eth2", subnet: "172.26.112.0/20", master: "ens18", vlanId: 5 },
      { type: "bridge-wrapper", ifName: "eth3", subnet: "172.26.128.0/20", bridge: "lab0", isGateway: true },
      { type: "host-device-wrapper", ifName: "eth4", subnet: "172.26.144.0/20", device: "ens20" },
      { type: "macvlan-wrapper", ifName: "eth5", subnet: "172.26.160.0/20", master: "ens18" },
      { type: "bridge-wrapper", ifName: "eth6", subnet: "172.26.176.0/20", bridge: "br-eth6-zone", isGateway: true },
    ]);
  });

  test("stands before the chained plugins, with the preset's directory of leases", async () => {
    const { plugins } = await listFor("nomad-bridge", { add: ["macvlan:eth1:subnet=10.3.0.0/24"] });
    expect(plugins.map(({ type }: { type: string }) => type)).toEqual([
      ...["loopback", "bridge-wrapper", "macvlan-wrapper", "firewall", "portmap"],
    ]);
    expect(plugins[2].ipam).toEqual({
      type: "host-local",
      ranges: [[{ subnet: "10.3.0.0/24" }]],
      dataDir: "/var/run/cni",
    });
  });

  test.each([
    ["sriov", "--add sriov: the type must be one of bridge, dummy, host-device, ipvlan, macvlan, ptp, tap, vlan"],
    ["tap:eth2:master=a", "--add tap:eth2:master=a: master is not one of subnet"],
    ["tap:eth1", "--add tap: the interface name eth1 is taken"],
    ["tap:br-zone", "--add tap: the interface name br-zone is taken"],
    ["tap:backup", "--add tap: the interface name backup sorts before eth0, so Nomad would advertise its address"],
    ["tap:a-very-long-name", "--add tap: the interface name a-very-long-name must have 1 to 15 bytes"],
    ["vlan:eth2", "--add vlan: the key vlanId is missing; write --add vlan:eth2:vlanId=..."],
    ["host-device", "--add host-device: the key device is missing; write --add host-device:eth2:device=..."],
    ["ipvlan", "--add ipvlan: macvlan has the master ens18, and the two cannot share one; add master=..."],
    ["tap:subnet=10.0.0.1/24", "--add tap: 10.0.0.1/24 is not a subnet"],
    ["tap:subnet=172.16.0.0/16", "--add tap: 172.16.0.0/16 overlaps another subnet of the list"],
  ])("%s is refused", async (add, message) => {
    await expect(added(add)).rejects.toThrow(message);
  });

  test("knows every interface plugin that has a wrapper", () => {
    const names = Object.entries(profiles).flatMap(([name, { role }]) => (role === "creator" ? [name] : []));
    expect(Object.keys(creators).sort()).toEqual(names.sort());
    expect(parseAddition("ipvlan:eth1:master=ens19:1")).toEqual({
      type: "ipvlan",
      ifName: "eth1",
      keys: { master: "ens19:1" },
    });
  });
});

test.each([
  ["name", "my zone", "--name: my zone must begin with a letter or digit"],
  ["cniVersion", "0.3.1", "--cni-version: 0.3.1 must be one of 0.4.0, 1.0.0, 1.1.0"],
  ["master", "a-very-long-name", "--master: a-very-long-name must have 1 to 15 bytes"],
  ["lan", "10.0.0.1/24", "--lan: 10.0.0.1/24 must begin with its first address: 10.0.0.0/24"],
  ["lan", "fd00::/64", "--lan: fd00::/64 must be an IPv4 subnet"],
  ["lan", "10.0.0.0/31", "--lan: 10.0.0.0/31 must have at least four addresses"],
  ["lanStart", "172.16.5.0", "--lan-start: 172.16.5.0 must be an address inside 172.16.5.0/24"],
  ["lanStart", "172.16.6.1", "--lan-start: 172.16.6.1 must be an address inside 172.16.5.0/24"],
  ["gateway", "172.16.5.255", "--gateway: 172.16.5.255 must be an address inside 172.16.5.0/24"],
  ["bridge", "eth1", "--bridge: eth1 looks like a container's interface"],
  ["bridge", "a/b", "--bridge: a/b must not contain"],
  ["subnet", "172.16.0.0/16", "--subnet: 172.16.0.0/16 overlaps 172.16.5.0/24"],
  ["adminChain", "X", "--admin-chain has no use in this preset"],
  ["subnet6", "fd00::/64", "--subnet6 has no use in this preset"],
])("--%s %s is refused", async (name, value, message) => {
  await expect(textFor("macvlan+bridge", { [name]: value })).rejects.toThrow(message);
});

test.each([
  ["subnet6", "10.0.0.0/24", "--subnet6: 10.0.0.0/24 must be an IPv6 subnet"],
  ["adminChain", "two words", "--admin-chain: two words must have 1 to 28"],
])("nomad-bridge: --%s %s is refused", async (name, value, message) => {
  await expect(textFor("nomad-bridge", { [name]: value })).rejects.toThrow(message);
});

describe("every list that it prints passes lint", () => {
  const types = Object.keys(creators).filter((type) => type !== "ipvlan");
  const addOf = (type: string) => ({ vlan: "vlan:vlanId=7", "host-device": "host-device:device=ens20" })[type] ?? type;
  const additions = [
    [],
    ["ipvlan:master=ens19"],
    ...types.map((type) => [addOf(type)]),
    [...types.map(addOf), "ipvlan:master=ens19"],
  ];
  const versions = ["0.4.0", "1.0.0", "1.1.0"];
  const variants: readonly object[] = [{}, { hairpin: true }, { consul: true }, { subnet6: "fd00:9::/64" }];
  const rows = Object.keys(presets).flatMap((preset) =>
    versions.flatMap((cniVersion) => additions.map((add) => ({ preset, cniVersion, add }))),
  );

  test.each(rows)("$preset $cniVersion $add", async ({ preset, cniVersion, add }) => {
    for (const variant of preset === "nomad-bridge" ? variants : [{}]) {
      const text = await textFor(preset, { cniVersion, add, ...variant });
      expect(lintFiles([parseListFile("new.conflist", text)])).toEqual([]);
    }
  });
});

test("lists are written as the examples are", () => {
  for (const name of [
    "macvlan-bridge",
    "dual-stack",
    "ipv6",
    "nomad-second-interface",
    "nomad-transparent-proxy",
    "isolated",
  ]) {
    const text = readFileSync(path.join(root, `conf-examples/${name}.conflist`), "utf8");
    const seen = listText(JSON.parse(text));
    expect(seen).toBe(text);
  }
  expect(listText({ plugins: [{ type: "tap", a: {}, b: [] }] })).toContain('"a": {},\n      "b": []');
});

test("the kernel's routes are read byte by byte", () => {
  const text = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t0050A8C0\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0
`;
  expect(parseRoutes(text)).toEqual([
    { name: "eth0", subnet: "0.0.0.0/0", gateway: "192.0.2.1" },
    { name: "eth0", subnet: "192.168.80.0/20", gateway: "0.0.0.0" },
  ]);
});

test("this host's networks can be read", () => {
  const { interfaces, subnets } = readHostNetworks();
  expect(interfaces.map(({ name }) => name)).not.toContain("lo");
  expect(subnets).toContain("127.0.0.1/8");
  expect(subnets).not.toContain("0.0.0.0/0");
});

describe("a person", () => {
  /** Types keys, and returns what is shown. A key comes when the dialog waits for one. */
  function dialogWith(...answers: string[]) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown = "";
    output.on("data", (chunk) => {
      shown += chunk;
      if (/[◆▲●]/.test(String(chunk))) setImmediate(() => input.write(answers.shift() ?? "\u0003"));
    });
    return { input, output, shown: () => shown };
  }

  test("is asked for each missing value, with the host's suggestion", async () => {
    // The second answer is wrong at first.
    const dialog = dialogWith("2\r", "9\r", "\u007F\r", "\r", "fd00:9::/64\r", "\r");
    const preset = presets["nomad-bridge"] as Preset;
    expect(await completeValues(preset, { bridge: "lan0" }, host, asker(dialog))).toEqual({
      name: "nomad-bridge2",
      cniVersion: "1.0.0",
      bridge: "lan0",
      subnet: "172.26.96.0/20",
      subnet6: "fd00:9::/64",
      adminChain: "NOMAD-ADMIN",
    });
    expect(dialog.shown()).toContain("It must be one of 0.4.0, 1.0.0, 1.1.0");
    expect(dialog.shown()).not.toContain("name of the bridge");
  });

  test("may leave a value out if the preset does not need it", async () => {
    const options = { name: "a", cniVersion: "1.0.0", bridge: "b", subnet: "10.0.0.0/24", adminChain: "C" };
    const preset = presets["nomad-bridge"] as Preset;
    expect(await completeValues(preset, options, host, asker(dialogWith("\r")))).toEqual(options);
  });

  test("chooses the preset", async () => {
    expect(await askPreset(dialogWith("\u001B[B", "\r"))).toBe("macvlan+bridge");
  });

  test("can cancel", async () => {
    await expect(askPreset(dialogWith("\u0003"))).rejects.toThrow("cancelled; nothing was written");
  });
});

describe("the command", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), "new-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  const run = (...args: string[]) => runCommand(["new", ...args], { directory });
  const options = ["macvlan+bridge", "--master", "ens18", "--lan", "10.7.0.0/24", "--subnet", "10.8.0.0/24"];

  test("prints the list, and what to keep free", async () => {
    const { exitCode, stdout, stderr } = await run(...options);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "zone" });
    expect(stderr).toBe(
      "Containers get addresses of 10.7.0.0/24 from 10.7.0.128 on. No other host or DHCP server may give them out.\n",
    );
  });

  test("writes a file, and replaces one only with --force", async () => {
    const first = await run(...options, "--output", "zone.conflist");
    expect(first).toMatchObject({ exitCode: 0, stdout: "", stderr: expect.stringMatching(/^Wrote zone.conflist.\n/) });
    const file = path.join(directory, "zone.conflist");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ name: "zone" });
    writeFileSync(file, "mine");
    expect(await run(...options, "--output", "zone.conflist")).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "cni-wrappers: zone.conflist exists; --force replaces it\n",
    });
    expect(readFileSync(file, "utf8")).toBe("mine");
    await run(...options, "--output", "zone.conflist", "--force");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ name: "zone" });
  });

  test("needs a preset, and a known one", async () => {
    const list = "nomad-bridge, macvlan+bridge, dual-stack";
    expect(await run()).toMatchObject({ exitCode: 2, stderr: `cni-wrappers: name a preset: ${list}\n` });
    expect(await run("nothing")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`Allowed choices are ${list}`),
    });
  });
});
