import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { shapeOf, takeSnapshot, textOf } from "../../../../cli/try/snapshot.ts";
import { scratch } from "../../../support/scratch.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";

const directory = scratch();
beforeEach(() => setVariable("PATH", directory));

const write = (name: string, text = "") => writeFile(join(directory, name), text);

/** Makes a program that prints an answer for some arguments, and fails for others. */
function program(name: string, answers: Readonly<Record<string, string>>): void {
  const cases = Object.entries(answers).map(([words, text]) => `"${words}") echo '${text}' ;;`);
  writeProgram(join(directory, name), `case "$*" in\n${cases.join("\n")}\n*) echo "$*" >&2; exit 1 ;;\nesac`);
}

test("a snapshot has everything that a plugin can leave, and not what the kernel makes", async () => {
  const addresses = [
    { local: "10.0.0.1", prefixlen: 24, scope: "global" },
    { local: "fe80::1", prefixlen: 64, scope: "link" },
  ];
  const route = { dst: "default", gateway: "10.0.0.9", dev: "br0", flags: ["onlink"], metrics: [{ mtu: 1400 }] };
  program("ip", {
    "-json -details address show": JSON.stringify([{ ifindex: 3, ifname: "br0", addr_info: addresses }]),
    "-json -4 route show table all": JSON.stringify([{ dst: "10.0.0.0/24", protocol: "kernel" }, route]),
    "-json -4 rule show": '[{"priority":7}]',
    "-json -6 route show table all": "[]",
    "-json -6 rule show": '[{"priority":7}]',
  });
  program("iptables-save", {
    "": "# made by iptables-save\n*nat\n:CNI-X - [1:2]\n-A CNI-X -m comment --comment a*[1:2] [3:4] -j MARK\nCOMMIT",
  });
  program("ip6tables-save", { "": "*filter\n-A CNI-Y\nCOMMIT" });
  program("nft", {
    "--stateless list ruleset": `# Warning: table ip nat is managed by iptables-nft, do not touch!
table ip nat {
	chain CNI-X {
	}
}
table inet own {
	set s {
		elements = { 1, 2 }
	}

	# words
	chain c {
		drop
	}
}
chain last`,
  });
  const mounts = [
    ["run", "tmpfs cni-wrappers-try rw"],
    ["opt", `overlay cni-wrappers-try rw,lowerdir=/opt,upperdir=${directory}/run/up1/up,workdir=/x`],
    ["other", "tmpfs other rw"],
  ];
  const lines = mounts.map(([name, rest]) => `22 1 0:21 / ${directory}/${name} rw - ${rest}\n`);
  redirect("/proc", directory);
  write("self/mountinfo", `22 1 0:21 / /proc/kernel rw - sysfs cni-wrappers-try rw\n${lines.join("")}`);
  for (const name of ["run/a", "run/b/up", "run/up1/up/c", "run/up1/work/d", "other/e", "kernel/f"]) write(name);
  const { things, problems } = await takeSnapshot();
  expect(problems).toEqual([]);
  expect([...things.values()].map(textOf)).toEqual([
    ...["link br0", "address 10.0.0.1/24 of br0"],
    'route dst default gateway 10.0.0.9 dev br0 metrics [{"mtu":1400}]',
    ...["rule priority 7", "rule priority 7"],
    "packet rule iptables -t nat :CNI-X -",
    "packet rule iptables -t nat -A CNI-X -m comment --comment a*[1:2] [3:4] -j MARK",
    "packet rule ip6tables -t filter -A CNI-Y",
    ...["", " set s", " set s elements = { 1, 2 }", " chain c", " chain c drop"].map(
      (words) => `packet rule nft table inet own${words}`,
    ),
    "packet rule nft chain last",
    ...["run/a", "run/b/up", "opt/c"].map((name) => `file ${directory}/${name}`),
  ]);
});

test("what containers leave in different places has one shape", () => {
  expect(shapeOf({ kind: "link", where: "vethab12cd34 of 10.0.0.2/24" })).toBe("link veth# of #.#.#.#/#");
});

test.each([
  ["Protocol not supported", []],
  ["Operation not permitted", ["ip: Operation not permitted"]],
])("rules that cannot be read: %s", async (words, problems) => {
  writeProgram(join(directory, "ip"), `case "$*" in *-6*rule*) echo "${words}" >&2; exit 2 ;; *) echo [] ;; esac`);
  expect((await takeSnapshot()).problems).toEqual(problems);
});

test("a packet rule is the same after more packets", async () => {
  const rulesAfter = async (packets: number) => {
    program("iptables-save", { "": `*nat\n:OUTPUT ACCEPT [${packets}:60]\n-A OUTPUT -j CNI-X\nCOMMIT` });
    return [...(await takeSnapshot()).things.keys()];
  };
  const rules = ["iptables -t nat :OUTPUT ACCEPT", "iptables -t nat -A OUTPUT -j CNI-X"];
  expect(await rulesAfter(1)).toEqual(expect.arrayContaining(rules.map((rule) => `packet rule ${rule} 0`)));
  expect(await rulesAfter(2)).toEqual(await rulesAfter(1));
});
