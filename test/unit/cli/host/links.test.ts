import { rmSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultRoutes, readContainerLinks, readLinks } from "../../../../cli/host/links.ts";
import { scratch } from "../../../support/scratch.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

const directory = scratch();

test("the links of a container and of the host, and the id that the container has for the host", async () => {
  const program = (name: string, script: string) => writeProgram(join(directory, name), script);
  setVariable("PATH", directory);
  setVariable("INSIDE", "2");
  program("nsenter", 'case $1 in --net=/proc/*/fd/*) INSIDE=7; export INSIDE; shift; exec "$@" ;; esac; exit 1');
  const inside = '[ "$*" = "-json -details address show" ] && echo "[{\\"ifindex\\":$INSIDE,\\"ifname\\":\\"eth0\\"}]"';
  program("ip", inside);
  // It fails if a process ends meanwhile.
  const asked = `--noheadings --raw --type net --output NETNSID --task ${process.pid}`;
  program(
    "lsns",
    `[ -e ${directory}/tried ] && [ "$*" = "${asked}" ] && echo " $INSIDE " && exit; >${directory}/tried; exit 1`,
  );
  const link = (ifindex: number) => ({ ifindex, ifname: "eth0" });
  const read = () => readContainerLinks("/proc/self/ns/net");
  expect(await read()).toEqual({ inside: [link(7)], host: [link(2)], hostId: "7" });
  expect(await readContainerLinks("/nowhere")).toBeUndefined();
  for (const name of ["lsns", "ip"]) {
    rmSync(join(directory, name));
    expect(await read()).toBeUndefined();
    program("lsns", "echo 0");
  }
});

test("no output is no link, and what is no list cannot be read", async () => {
  setVariable("PATH", directory);
  writeProgram(join(directory, "ip"), "exit 0");
  expect(await readLinks()).toEqual([]);
  writeProgram(join(directory, "ip"), "echo {}");
  expect(await readLinks()).toBeUndefined();
});

test("a name of ip's is a link of this host, with its addresses", async () => {
  const links = (await readLinks()) ?? [];
  const seen = Object.entries(networkInterfaces()).flatMap(([name, all = []]) =>
    all.map(({ address }) => [name, address]),
  );
  const found = links.flatMap(({ ifname, addr_info = [] }) => addr_info.map(({ local }) => [ifname, local]));
  expect(found).toEqual(expect.arrayContaining(seen));
  expect(links.find(({ ifname }) => ifname === "lo")).toMatchObject({ ifindex: 1, link_type: "loopback" });
  expect(await readLinks("/nowhere")).toBeUndefined();
});

// A VPN's 0.0.0.0/1 is no default route, and one without a gateway leads to no router.
test("the default routes, with their gateways", () => {
  const rows = [
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
    "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0",
    "tun0\t00000000\t0100000A\t0003\t0\t0\t0\t00000080\t0\t0\t0",
    "eth1\t0000A8C0\t0201A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
    "eth2\t0000A8C0\t0301A8C0\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0",
    "ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0",
    "",
  ];
  expect(defaultRoutes(rows.join("\n"))).toEqual([{ device: "eth0", gateway: "192.168.1.1" }]);
  expect(defaultRoutes("")).toEqual([]);
});
