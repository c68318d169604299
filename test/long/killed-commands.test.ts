import { expect, test } from "vitest";
import { attached, expectPassed, expectSuccess } from "../e2e/calls.ts";
import { attachAll, loseNamespaces, run, tokensOf, traces } from "../e2e/prune-support.ts";
import { bridge, hostLocal, macvlan, twoInterfaces, wrapped, zone } from "../e2e/support.ts";
import { Lab } from "../support/lab.ts";

// The state before each kill is restored from copies, with the times of the files.

/** System calls that change files, or packet rules and links (by a netlink message). */
const calls =
  "write pwrite64 unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink fsync ftruncate fchmod chmod fchown chown sendmsg";

/** A call of one kind in each process of a command, counted from 1. */
interface Point {
  readonly call: string;
  readonly count: number;
}

function strace(lab: Lab, flags: readonly string[], args: readonly string[]) {
  const own = ["-f", "-y", "-o", "/run/lab/strace"];
  return lab.call("strace", [...own, ...flags, "/opt/cni/bin/cni-wrappers", ...args]);
}

/** Runs a command to its end. Returns all points at which one of its processes changes something. */
async function pointsOf(lab: Lab, ...args: readonly string[]): Promise<readonly Point[]> {
  expect(await strace(lab, ["-e", `trace=${calls.replaceAll(" ", ",")}`], args)).toMatchObject({ exitCode: 0 });
  const counts = new Map<string, number>();
  const points = (await lab.readFile("/run/lab/strace")).split("\n").flatMap((line) => {
    const [, process = "", call = "", rest = ""] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    const count = (counts.get(`${process} ${call}`) ?? 0) + 1;
    counts.set(`${process} ${call}`, count);
    // Most writes go to pipes.
    const isChange = call !== "" && (!/^p?write/.test(call) || /^\d+<\/var\/lib\//.test(rest));
    return isChange ? [`${call} ${count}`] : [];
  });
  return [...new Set(points)].map((point) => {
    const [call = "", count = ""] = point.split(" ");
    return { call, count: Number(count) };
  });
}

/** Runs a command, and kills each process that comes to the point. Returns whether one did. */
async function killedAt(lab: Lab, { call, count }: Point, ...args: readonly string[]): Promise<boolean> {
  await strace(lab, ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${count}`], args);
  return (await lab.readFile("/run/lab/strace")).includes("+++ killed by SIGKILL +++");
}

const save = `rm -rf /run/lab/saved; cp -a /var/lib/cni /run/lab/saved
  iptables-save >/run/lab/rules; nft list table ip cni_hostport >/run/lab/nft 2>/dev/null || true`;
const restore = `find /var/lib/cni -mindepth 1 -delete; cp -a /run/lab/saved/. /var/lib/cni
  iptables-restore </run/lab/rules
  if [ -s /run/lab/nft ]; then nft delete table ip cni_hostport; nft -f /run/lab/nft; fi`;

test.concurrent.each([
  ["with the plugins", []],
  ["without the plugins, so that it removes everything itself", ["--cni-path", "/opt"]],
])(
  "prune --write %s: a kill at any change loses nothing of a neighbour, and the next run completes",
  async (_, options) => {
    await using lab = await Lab.start();
    const list = {
      ...zone(wrapped(macvlan), wrapped({ ...bridge, ipMasq: true }, "eth1"), {
        type: "firewall",
        backend: "iptables",
      }),
    };
    const portmap = { type: "portmap-wrapper", backend: "nftables", capabilities: { portMappings: true } };
    const lists = [{ ...list, plugins: [...list.plugins, portmap] }];
    const [neighbour, gone] = await attachAll(lab, ["neighbour", "gone"], 22000, lists);
    if (!neighbour || !gone) throw new Error("two containers are needed");
    const all = await traces(lab);
    const tokens = await tokensOf(lab, [gone], all);
    const withoutGone = (lines: readonly string[]) => lines.filter((line) => !tokens.some((token) => token.test(line)));
    const expected = withoutGone(all);
    expect(all.length).toBeGreaterThan(expected.length + 8);
    await loseNamespaces(lab, [gone]);
    await lab.run("sh", ["-ec", save]);
    const points = await pointsOf(lab, "prune", "--write", ...options);
    expect(await traces(lab)).toEqual(expected);
    expect(points.map(({ call }) => call)).toEqual(expect.arrayContaining(["unlink", "sendmsg"]));
    for (const point of points) {
      await lab.run("sh", ["-ec", restore]);
      const where = `${point.call} ${point.count}`;
      expect(await killedAt(lab, point, "prune", "--write", ...options), where).toBe(true);
      expect(withoutGone(await traces(lab)), where).toEqual(expected);
      const again = await run(lab, "prune", "--write", ...options);
      expect({ where, code: again.exitCode, lines: await traces(lab) }).toEqual({ where, code: 0, lines: expected });
    }
    expectPassed(await lab.goCni.check(neighbour.list, neighbour.container, neighbour.options));
  },
  600_000,
);

/**
 * The files of libcni, host-local and the wrappers, without the backups of adopt and what is not finished. adopt reckons when the
 * container started, which differs by a hundredth of a second.
 */
function files(lab: Lab): Promise<string> {
  const search = "find /var/lib/cni/[nrw]* -type f ! -name lock ! -name 'last_*' ! -path '*/wrappers/.*'";
  const timeless = `sed -E 's/"uptime":[0-9.]+//g' $file | sha256sum`;
  return lab.run("sh", ["-c", `for file in $(${search} | sort); do echo "$(${timeless}) $file"; done`]);
}

test.concurrent("adopt --write: a kill at any change leaves the old result or the new one, and the next run completes", async () => {
  await using lab = await Lab.start();
  const list = twoInterfaces();
  const own = { ...bridge, ipam: hostLocal("172.26.64.0/20", { dst: "10.99.0.0/16", gw: "172.26.64.1" }) };
  const container = await attached(lab, lab.cnitool, zone(macvlan));
  expectSuccess(await lab.cnitool.addAs("eth1", zone(own), container));
  await lab.run("sh", ["-c", "rm /var/lib/cni/results/zone-*-eth1; mkdir -p /opt/cni/config /var/lib/cni/wrappers"]);
  const put = (now: object) => lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(now));
  await put(list);
  await lab.run("sh", ["-ec", save]);
  const before = (await files(lab)).split("\n");
  const points = await pointsOf(lab, "adopt", "--write");
  expectSuccess(await lab.cnitool.check(list, container));
  const after = (await files(lab)).split("\n");
  expect(points.map(({ call }) => call)).toEqual(expect.arrayContaining(["write", "rename", "fsync"]));
  const known = new Set([...before, ...after]);
  for (const point of points) {
    await lab.run("sh", ["-ec", restore]);
    const where = `${point.call} ${point.count}`;
    const isKilled = await killedAt(lab, point, "adopt", "--write");
    // How often Node writes to its own pipes differs from run to run.
    if (point.call !== "write") expect(isKilled, where).toBe(true);
    const now = (await files(lab)).split("\n");
    expect(
      now.filter((line) => !known.has(line)),
      where,
    ).toEqual([]);
    expect(now.length, where).toBeGreaterThanOrEqual(before.length);
    expect(await run(lab, "adopt", "--write"), where).toMatchObject({ exitCode: 0 });
    expectSuccess(await lab.cnitool.check(list, container));
    expect((await files(lab)).split("\n"), where).toEqual(after);
    if (point.call !== "rename") continue;
    // A list that checks would need the results.
    await put({ ...list, disableCheck: true });
    expect(await run(lab, "adopt", "--undo"), where).toMatchObject({ exitCode: 0 });
    await put(list);
    expect((await files(lab)).split("\n"), where).toEqual(before);
  }
}, 600_000);
