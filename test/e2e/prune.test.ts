import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { newestPlugins } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { expectPassed } from "./calls.ts";
import { type Attached, attachAll, install, loseNamespaces, networks, run, tokensOf, traces } from "./prune-support.ts";
import { withoutFirstThread } from "./support.ts";

async function expectCheckPasses(lab: Lab, attached: readonly Attached[]): Promise<void> {
  for (const { container, list, options } of attached) expectPassed(await lab.goCni.check(list, container, options));
}

test("after the loss of four namespaces nothing of theirs is left, and four neighbours are as they were", async ({
  lab,
}) => {
  await install(lab);
  // The neighbours' rules lie before, between and after those of the others.
  const names = ["live-0", "gone-0", "gone-1", "live-1", "gone-2", "live-2", "gone-3", "live-3"];
  const attached = await attachAll(lab, names, 21000);
  const isGone = ({ container }: Attached) => container.name.startsWith("gone");
  const [gone, neighbours] = [attached.filter(isGone), attached.filter((each) => !isGone(each))];
  const all = await traces(lab);
  const tokens = await tokensOf(lab, gone, all);
  const isOfGone = (line: string) => tokens.some((token) => token.test(line));
  expect(all.filter(isOfGone).length).toBeGreaterThan(4 * 8);
  const expected = all.filter((line) => !isOfGone(line));

  await loseNamespaces(lab, gone);
  const shown = await run(lab, "prune", "--json");
  expect(shown).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^looked at: lists in [^\n]*$/) });
  const rows: { containerId: string; fate: string }[] = JSON.parse(shown.stdout);
  expect([...new Set(rows.map(({ fate }) => fate))]).toEqual(["prunable"]);
  expect([...new Set(rows.map(({ containerId }) => containerId))].sort()).toEqual(
    gone.map(({ container }) => container.name),
  );
  expect((await traces(lab)).filter((line) => !isOfGone(line))).toEqual(expected);

  const pruned = await run(lab, "prune", "--write");
  expect(pruned).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await traces(lab)).toEqual(expected);
  expect(await run(lab, "prune")).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Nothing is left/m) });
  await expectCheckPasses(lab, neighbours);
  // CHECK changes nothing, so the neighbours are still the same.
  expect(await traces(lab)).toEqual(expected);

  // The comparison sees each kind of loss.
  const losses = [
    "{ echo '*nat'; iptables-save | grep -m1 '^-A POSTROUTING -s' | sed 's/-A/-D/'; echo COMMIT; } | iptables-restore -n",
    "nft delete rule ip cni_hostport hostports $(nft -a list table ip cni_hostport | grep -m1 dport | grep -o 'handle .*')",
    "ip link delete $(ip -oneline link | grep -o -m1 'bwp[0-9a-f]*')",
    "echo >>$(ls /var/lib/leases/modern-eth1/172* | head -1)",
    "rm $(ls -d /var/lib/cni/wrappers/*/* | head -1)",
    "touch $(ls -d /var/lib/cni/results/* | head -1)",
  ];
  let seen: readonly string[] = expected;
  for (const loss of losses) {
    await lab.run("sh", ["-ec", loss]);
    const now = await traces(lab);
    expect(now, loss).not.toEqual(seen);
    seen = now;
  }
});

test("what lives on without a path, in another cache or with a damaged result stays as it is", async ({ lab }) => {
  await install(lab);
  const names = ["process", "threads", "elsewhere", "damaged", "gone"];
  const plain = networks.filter(({ name }) => name === "plain");
  const [process, threads, elsewhere, damaged, gone] = await attachAll(lab, names, 21000, plain);
  if (!process || !threads || !elsewhere || !damaged || !gone) throw new Error("five containers are needed");
  // A process keeps its namespace, whatever becomes of the path.
  await outlive(lab, process, ["sleep", "600"]);
  await outlive(lab, threads, withoutFirstThread);
  await lab.run("sh", ["-ec", "mkdir -p /var/lib/other; mv /var/lib/cni/results/plain-elsewhere-eth0 /var/lib/other/"]);
  await loseNamespaces(lab, [damaged]);
  await lab.run("sh", ["-ec", "echo '{' >/var/lib/cni/results/plain-damaged-eth0"]);
  const before = await traces(lab);
  const tokens = await tokensOf(lab, [gone], before);
  const expected = before.filter((line) => !tokens.some((token) => token.test(line)));
  await loseNamespaces(lab, [gone]);
  const { exitCode, stdout, stderr } = await run(lab, "prune", "--write");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: "/var/lib/cni/results/plain-damaged-eth0: it is not a JSON object; its container counts as running",
  });
  expect(stdout).toMatch(/^left: \/var\/lib\/cni\/results\/plain-process-eth0: its interface is in /m);
  expect(stdout).toMatch(/^left: \/var\/lib\/cni\/results\/plain-threads-eth0: its interface is in /m);
  expect(stdout).toMatch(/^left: \S+172\.16\.14\.5: \/var\/lib\/cni\/results\/plain-damaged-eth0 cannot be read$/m);
  expect(stdout).not.toContain("elsewhere");
  expect(await traces(lab)).toEqual(expected);
});

/** Unmounts the namespace of a container while a command runs in it. */
async function outlive(lab: Lab, { container }: Attached, command: readonly string[]): Promise<void> {
  const inside = `nsenter --net=${container.netns} sh -c 'touch /run/inside; exec setsid "$@"' sh "$@" >/dev/null 2>&1 &
    until [ -e /run/inside ]; do sleep 0.1; done; rm /run/inside; umount ${container.netns}`;
  await lab.run("sh", ["-ec", inside, "sh", ...command]);
}

test("root without CAP_SYS_PTRACE, who may not look into the processes of others, prunes nothing", async ({ lab }) => {
  await install(lab);
  const plain = networks.filter(({ name }) => name === "plain");
  const [process] = await attachAll(lab, ["process"], 21000, plain);
  if (process) await outlive(lab, process, ["sleep", "600"]);
  // Only its namespace tells that the container lives.
  await lab.run("sh", ["-ec", `rm /var/lib/cni/results/*; touch -d yesterday /var/lib/cni/networks/plain/*`]);
  const before = await traces(lab);
  const less = ["--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"];
  const pruned = await lab.call("setpriv", [...less, Lab.command, "prune", "--write"]);
  expect(pruned).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining("a network namespace of this host cannot be read"),
  });
  expect(await traces(lab)).toEqual(before);
});

// What a user can do in a user namespace of his own, where he mounts what he likes where he likes.
const over = "/run/netns/elsewhere";
const hidden = "mount -t tmpfs none /run/netns";
const deeds: Record<string, string> = {
  "another namespace over the path": `mount --bind /proc/self/ns/net ${over}; ready`,
  "another namespace, in a namespace in a namespace": `unshare -Umnr bash -ec "mount --bind /proc/self/ns/net ${over}; ready" $0`,
  "another namespace over the path, by a process that is stopped": `mount --bind /proc/self/ns/net ${over}; touch $0; kill -STOP $$`,
  "a pipe over the path": `mkfifo $0.fifo; mount --bind $0.fifo ${over}; ready`,
  "a directory with a pipe over the path's directory": `${hidden}; mkfifo ${over}; ready`,
  "a directory with a link over the path's directory": `mkfifo $0.fifo; ${hidden}; ln -s $0.fifo ${over}; ready`,
};

test.for(Object.entries(deeds))(
  "a user of the host frees no lease, and no file of his is opened: %s",
  async ([_, deed], { lab }) => {
    await install(lab);
    const plain = networks.find(({ name }) => name === "plain") as NetworkList;
    expectPassed({ ...(await lab.cnitool.add(plain, await lab.addContainer("elsewhere"))), stdout: "" });
    // Only the namespace tells that the container lives, and only its mount leads there.
    const lease = "/var/lib/cni/networks/plain/172.16.14.2";
    await lab.run("sh", ["-ec", `rm /var/lib/cni/results/*; touch -d yesterday ${lease}; mkdir -m 777 /run/lab/user`]);
    const ready = `ready() { touch $0; exec sleep 600; }; export -f ready; ${deed}`;
    const nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "unshare", "-Umnr"];
    lab.start("setpriv", [...nobody, "bash", "-ec", ready, "/run/lab/user/ready"], "/run/lab/log");
    await expect.poll(() => lab.readdir("/run/lab/user"), { timeout: 30_000 }).toContain("ready");
    const { exitCode, stderr } = await lab.call("timeout", ["20", Lab.command, "prune", "--write"]);
    expect({ exitCode: exitCode === 124 ? "it hangs" : "it ends", stderr }).toEqual({
      exitCode: "it ends",
      stderr: "",
    });
    expect(await lab.readFile(lease)).toMatch(/^cnitool-/);
  },
);

test("a namespace that was made anew at the old path does not keep what the old one had", async ({ lab }) => {
  await install(lab);
  const [classic] = networks;
  const attached = await attachAll(lab, ["gone", "kept"], 21000, classic && [classic]);
  const [gone, kept] = attached as [Attached, Attached];
  const before = await traces(lab);
  const tokens = await tokensOf(lab, [gone], before);
  // Made before the old one goes: the kernel would give a later one its inode, and prune takes no chance with that.
  await lab.run("ip", ["netns", "add", "anew"]);
  await loseNamespaces(lab, [gone]);
  const move = "touch /run/netns/gone; mount --bind /run/netns/anew /run/netns/gone; ip netns delete anew";
  await lab.run("sh", ["-ec", move]);
  const pruned = await run(lab, "prune", "--write");
  expect(pruned).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringMatching(/^classic +gone /m) });
  expect(await traces(lab)).toEqual(before.filter((line) => !tokens.some((token) => token.test(line))));
  await expectCheckPasses(lab, [kept]);
});

const begun = { line: "began", format: 2, network: "classic", containerId: "gone", runtimeIfName: "eth0" };

test.for([
  ["a newer version has written it", JSON.stringify(begun)],
  ["it does not say whose it is", "no journal"],
] as const)(
  "a journal that cannot be read is named, and its container counts as running: %s",
  async ([reason, text], { lab }) => {
    await install(lab);
    const [classic] = networks;
    const attached = await attachAll(lab, ["gone"], 21000, classic && [classic]);
    const file = "/var/lib/cni/wrappers/gone/classic:eth0";
    await lab.writeFile(file, `${text}\n`);
    await loseNamespaces(lab, attached);
    const before = await traces(lab);
    const { exitCode, stderr } = await run(lab, "prune", "--write");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `${file}: ${reason}; its container counts as running`,
    });
    expect(await traces(lab)).toEqual(before);
  },
);

test("after a reboot nothing is left of the containers before it", async () => {
  await using disk = await mkdtempDisposable(path.join(tmpdir(), "disk-"));
  const options = { plugins: newestPlugins, disk: disk.path } as const;
  const before = await Lab.start(options);
  await attachAll(before, ["c1", "c2", "c3"], 21000);
  await before[Symbol.asyncDispose]();
  await using lab = await Lab.start(options);
  const isFile = (line: string) => line.startsWith("/");
  expect((await traces(lab)).filter(isFile).length).toBeGreaterThan(8);
  await install(lab);
  const [live] = await attachAll(lab, ["live"], 21000);
  expect(await run(lab, "prune", "--write")).toMatchObject({ exitCode: 0, stderr: "" });
  const left = (await traces(lab)).filter(isFile);
  expect(left.filter((line) => !/live/.test(Buffer.from(line.split(" ").at(-1) ?? "", "base64").toString()))).toEqual(
    [],
  );
  await expectCheckPasses(lab, live ? [live] : []);
});

test("behind links to processes' namespaces: a gone process, a link to another one, a number that the host has again", async ({
  lab,
}) => {
  await install(lab);
  const list = networks.find(({ name }) => name === "modern") as NetworkList;
  const start =
    "unshare -n sleep 600 >/dev/null 2>&1 & while [ /proc/$!/ns/net -ef /proc/$$/ns/net ]; do sleep 0.05; done; echo $!";
  const link = (name: string, pid: string) => lab.run("ln", ["-sfn", `/proc/${pid}/ns/net`, `/run/netns/${name}`]);
  await lab.run("mkdir", ["-p", "/run/netns"]);
  const pids = new Map<string, string>();
  for (const name of ["gone", "live", "other", "reused"]) {
    pids.set(name, await lab.run("sh", ["-c", start]));
    await link(name, pids.get(name) as string);
    expectPassed({ ...(await lab.goCni.add(list, { name, netns: `/run/netns/${name}` })), stdout: "" });
  }
  // It begins first: a namespace that is made after another one has gone can get its number.
  const another = await lab.run("sh", ["-c", start]);
  for (const [name, pid] of pids) if (name !== "live") await lab.run("kill", [pid]);
  await link("other", another);
  // The first process is in the host's namespace.
  await link("reused", "1");
  // The live one's link is made again, too.
  await link("live", pids.get("live") as string);
  const prune = [Lab.command, "prune", "--json"];
  // Run in a container's namespace, the command does not take that for the host's.
  for (const net of ["/proc/1/ns/net", "/run/netns/live"]) {
    const rows: { containerId: string }[] = JSON.parse((await lab.call("nsenter", [`--net=${net}`, ...prune])).stdout);
    expect([...new Set(rows.map(({ containerId }) => containerId))].sort()).toEqual(["gone", "other", "reused"]);
  }
  const told = await run(lab, "prune", "--write");
  expect(told, told.stdout).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await lab.kernel.cachedResults()).toEqual(["modern-live-eth0"]);
  expectPassed(await lab.goCni.check(list, { name: "live", netns: "/run/netns/live" }));
});
