import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Link } from "../../../../cli/host/links.ts";
import type { Removal } from "../../../../cli/prune/known.ts";
import { remove } from "../../../../cli/prune/prune.ts";
import { linksOfContainers, readRules } from "../../../../cli/prune/read-rules.ts";
import { scratch } from "../../../support/scratch.ts";
import { runCommand } from "../../support/fake-terminal.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

const directory = scratch();
beforeEach(() => setVariable("PATH", directory));

const program = (name: string, script: string) => writeProgram(join(directory, name), script);
const refuse = (words: string) => `echo first >&2; echo '${words}' >&2; exit 1`;

test("a program that fails is named, and the rules of the others count", () => {
  program("iptables-nft-save", refuse("no memory"));
  program("iptables-legacy-save", "echo '*filter'; echo '-A CNI-FORWARD -s 10.0.0.2/32 -j ACCEPT'; echo COMMIT");
  program("nft", refuse("no permission"));
  const { things, problems } = readRules([]);
  expect(things.map(({ name }) => name)).toEqual(["address:10.0.0.2"]);
  expect(problems).toEqual([
    "iptables-nft-save: no memory; packet rules may be left",
    "nft: no permission; packet rules may be left",
  ]);
});

test("a table that is not there is no failure, and one that cannot be read is", () => {
  const tables = '{"nftables":[{"metainfo":{}},{"table":{"family":"ip","name":"cni_hostport","handle":1}}]}';
  program("nft", `[ "$3" = tables ] && echo '${tables}' || { echo "$*: refused" >&2; exit 1; }`);
  expect(readRules([])).toEqual({
    things: [],
    problems: ["nft: --json list table ip cni_hostport: refused; packet rules may be left"],
  });
});

test("a host without these programs, or a kernel without nftables, has no rules", () => {
  expect(readRules([])).toEqual({ things: [], problems: [] });
  program("iptables-nft-save", refuse("iptables-nft-save: Failed to initialize nft: Protocol not supported"));
  expect(readRules([])).toEqual({ things: [], problems: [] });
});

test("a rule with a link of the host is not found, and both kinds of iptables are asked", () => {
  program("iptables-nft-save", "echo '*filter'; echo '-A CNI-FORWARD -s 10.0.0.2/32 -j ACCEPT'; echo COMMIT");
  program("ip6tables-save", "echo '*filter'; echo '-A CNI-FORWARD -s fd00::2/128 -j ACCEPT'; echo COMMIT");
  const comment = '"comment":"macspoofchk-c1-eth0"';
  const match = '{"match":{"left":{"meta":{"key":"iifname"}},"right":"veth1"}}';
  const rule = `{"rule":{"chain":"c","handle":1,${comment},"expr":[${match}]}}`;
  const table = '{"table":{"family":"bridge","name":"nat"}}';
  program("nft", `[ "$*" = "--json list tables" ] && echo '{"nftables":[${table}]}' || echo '{"nftables":[${rule}]}'`);
  const found = (...names: string[]) => {
    const { things } = readRules(names.map((ifname) => ({ ifname }) as Link));
    return things.map(({ where, removal }) => [where, removal.by === "iptables" && removal.restore]);
  };
  const rules = [
    ["iptables-nft filter CNI-FORWARD 10.0.0.2", "iptables-nft-restore"],
    ["ip6tables filter CNI-FORWARD fd00::2", "ip6tables-restore"],
  ];
  expect(found()).toEqual([...rules, ["nft bridge nat c", false]]);
  expect(found("veth2", "veth1")).toEqual(rules);
  expect(found("veth2")).toHaveLength(3);
});

test("bandwidth's links are those of its kind with its names", () => {
  const link = (ifname: string, kind?: string) =>
    ({ ifname, linkinfo: kind && { info_kind: kind } }) as unknown as Link;
  const name = "bwp3aa149931c41";
  const others = [
    link(name),
    link(name, "veth"),
    ...[`x${name}`, `${name}0`, "ifb0"].map((other) => link(other, "ifb")),
  ];
  expect(linksOfContainers([...others, link(name, "ifb")])).toEqual([
    { kind: "link", where: name, name, addresses: [], removal: { by: "ip", link: name } },
  ]);
});

/** What a removal runs: each program with its arguments and its input; and why it failed. */
async function removing(removal: Removal, exit = 0) {
  const log = join(directory, "log");
  for (const name of ["iptables-restore", "ip"])
    program(name, `echo "$0 $*" >> ${log}; /bin/cat >> ${log}; echo refused >&2; exit ${exit}`);
  const rule = (id: string, handle: number) => `{"rule":{"chain":"c","handle":${handle},"comment":"${id}"}}`;
  const list = `echo '{"nftables":[${rule("c1", 4)},${rule("c2", 5)}]}'`;
  program(
    "nft",
    `[ "$*" = "--json list table ip cni_hostport" ] && { ${list}; exit; }; echo "$0 $*" >> ${log}; /bin/cat >> ${log}; exit ${exit}`,
  );
  writeFileSync(log, "");
  const thing = { kind: "rule", where: "", name: "", addresses: [], removal } as const;
  const finding = { thing, known: undefined, network: undefined, containerId: "no-such-container", why: undefined };
  const why = await remove(finding, join(directory, "none"), () => false);
  return { why, ran: readFileSync(log, "utf8").replaceAll(`${directory}/`, "") };
}

const tables: Removal = { by: "iptables", restore: "iptables-restore", table: "nat", lines: ["-F A", "-X A"] };
const hostport = ["table", "ip", "cni_hostport"];

test.each<[string, Removal, string]>([
  ["iptables in one step", tables, "iptables-restore --noflush --wait=10\n*nat\n-F A\n-X A\nCOMMIT\n"],
  ["a link of bandwidth", { by: "ip", link: "bwp1" }, "ip link delete bwp1 type ifb\n"],
  [
    "the rules of one container",
    { by: "nft", read: hostport, name: "hostport:c1" },
    "nft -f -\ndelete rule ip cni_hostport c handle 4\n",
  ],
  ["nothing if the rules are gone", { by: "nft", read: hostport, name: "hostport:c9" }, ""],
])("prune removes %s", async (_, removal, ran) => {
  expect(await removing(removal)).toEqual({ why: undefined, ran });
  expect(await removing(removal, 1)).toEqual({ why: ran === "" ? undefined : expect.any(String), ran });
});

test("a program that is there and does not run is missed", () => {
  writeFileSync(join(directory, "nft"), "", { mode: 0o644 });
  expect(readRules([]).problems).toEqual([expect.stringMatching(/^spawnSync nft EACCES; packet rules may be left$/)]);
});

test("prune tells that links and rules may be left", async () => {
  program("iptables-save", refuse("no memory"));
  mkdirSync(join(directory, "results"));
  writeFileSync(
    join(directory, "none.conflist"),
    '{ "cniVersion": "1.0.0", "name": "none", "plugins": [{ "type": "ptp" }] }',
  );
  const options = ["--cache-dir", directory, "--config-dir", directory, "--network", "none"];
  expect(await runCommand(["prune", ...options])).toMatchObject({
    exitCode: 2,
    stderr:
      "the host's interfaces: ip(8) is missing, or fails; links may be left\niptables-save: no memory; packet rules may be left\n",
  });
});
