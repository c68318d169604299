import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ownNamespaces, type Task, tryInside } from "../../../../cli/try/inside.ts";
import { isOfKernel, mountsIn } from "../../../../cli/try/stage.ts";
import { scratch } from "../../../support/scratch.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { leaveNoDescriptor } from "../../support/no-descriptor.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile, writeList } from "../../support/written.ts";
import { makeProc } from "./support.ts";

const directory = scratch();
beforeEach(() => {
  vi.spyOn(process, "getuid").mockReturnValue(0);
  zoneOf({ type: "bridge" });
});
afterEach(() => void vi.restoreAllMocks());

const write = (name: string, value: object) => writeFile(join(directory, name), value);
const zoneOf = (plugin: object) => writeList(join(directory, "zone.conflist"), plugin);

/** Runs the command with an unshare(1) of the test's own, so nothing runs on a stage. */
async function attempted(unshare: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}) {
  writeProgram(join(directory, "unshare"), `touch ${directory}/started\n${unshare}`);
  const env = { PATH: `${directory}:${process.env.PATH}`, NOMAD_ADDR: "http://127.0.0.1:1", ...more };
  return await runCommand(
    ["try", ...(args.includes("--cni-path") ? [] : ["--cni-path", "/nowhere"]), ...args, "zone.conflist"],
    { directory, env },
  );
}

const passes = { step: "ADD of a container", outcome: "passes" };

test.each<[string, object, number]>([
  ["all passes", {}, 0],
  ["a step fails", { steps: [passes, { ...passes, outcome: "fails" }] }, 1],
  ["something is left", { left: ["link x"] }, 1],
  ["nobody can judge a step", { steps: [passes, { ...passes, outcome: "unknown" }] }, 2],
  ["some of it cannot be read", { problems: ["ip: broken"] }, 2],
])("%s on the stage", async (_, changes, exitCode) => {
  write("outcome", { steps: [passes], left: [], stays: [], problems: [], ...changes });
  expect(await attempted(`cat ${directory}/outcome`)).toMatchObject({ exitCode, stderr: "" });
});

test("a list with plugins in a directory, which were not tried, is not called good", async () => {
  write("outcome", { steps: [passes], left: [], stays: [], problems: [] });
  mkdirSync(join(directory, "zone"));
  write("zone/10.conf", { type: "ptp" });
  expect(await attempted(`cat ${directory}/outcome`)).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining("not looked at: zone: libcni 1.3 adds the plugins of 10.conf to the list of zone"),
  });
});

test.each([
  [[], [], "nothing"],
  [["link x"], [], "1"],
  [["link x"], ["ip: broken"], "1"],
  [[], ["ip: broken"], "not known"],
])("%j is left on the stage, and %j cannot be read: %s", async (left, problems, words) => {
  write("outcome", { steps: [passes, passes], left, stays: [], problems });
  expect((await attempted(`cat ${directory}/outcome`)).stdout).toContain(`left after DEL: ${words} (compared`);
});

test.each([
  ["its own words", 'echo "mount: x" >&2; echo "cni-wrappers: no list" >&2; exit 2', "no list"],
  ["words of another program", 'echo "mount: x" >&2; exit 1', "mount: x"],
  ["no words", "exit 128", "unshare(1) ended with 128"],
  ["a signal", "kill -9 $$", "it was killed before its end"],
  ["the code of a child's signal", "exit 137", "it was killed before its end"],
])("a stage that ends early is no good answer: %s", async (_, unshare, words) => {
  const { exitCode, stdout, stderr } = await attempted(unshare);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^cni-wrappers: ${words.replace(/[()]/g, "\\$&")}`));
});

test("a stage that ends before it has read its input is no good answer", async () => {
  zoneOf({ type: "bridge", comment: "x".repeat(300_000) });
  expect(await attempted("exec 0<&-; sleep 0.2; exit 128")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("unshare(1) ended with 128"),
  });
});

test("nothing is started without root's rights, or if the list needs an interface of the host", async () => {
  zoneOf({ type: "macvlan", master: "ens18" });
  const links = [{ ifindex: 2, ifname: "ens18", link_type: "ether" }];
  writeProgram(join(directory, "ip"), `echo '${JSON.stringify(links)}'`);
  setVariable("PATH", `${directory}:${process.env.PATH}`);
  const { exitCode, stdout } = await attempted("", ["--json"]);
  expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
    ...{ exitCode: 2, file: "zone.conflist", network: "zone", cniPath: ["/nowhere"] },
    ...{ notes: ["ens18 is a veth here"], steps: [], left: [], stays: [], problems: [] },
    added: [],
    obstacles: ["it needs ens18 of this host: --veth puts a veth there"],
  });
  setVariable("PATH", "/nowhere");
  expect(await attempted("")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("ip(8) failed or is miss"),
  });
  vi.spyOn(process, "getuid").mockReturnValue(1000);
  expect(await attempted("")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("only root") });
  expect(existsSync(join(directory, "started"))).toBe(false);
});

test("what unshare(1) is asked for: the namespaces, what happens to each mount, and this program on descriptor 4", async () => {
  const ipam = { type: "host-local", dataDir: join(directory, "leases") };
  zoneOf({ type: "ptp", ipam });
  mkdirSync(join(directory, "leases/zone"), { recursive: true });
  const mounts = [
    "/ ext4",
    "/proc proc",
    "/run/x tmpfs",
    "/run/netns/a nsfs",
    "/mnt/run nfs",
    "/var/run/b tmpfs",
    "/mnt/a nsfs",
    "/mnt/user's fuse.sshfs x rw,user_id=1000",
    "/mnt/root's fuse.glusterfs x rw,user_id=0",
  ];
  makeProc(
    directory,
    mounts.map((mount) => `${mount.replace(" ", " rw - ")} x rw`),
  );
  redirect("/var/lib/cni", join(directory, "none"));
  const why = 'failed to find plugin "ptp-wrapper" in path [/nowhere]';
  const outcome = { steps: [passes, { ...passes, plugin: "ptp-wrapper", why }], left: [], stays: [], problems: [] };
  write("outcome", outcome);
  const script = `{ printf '%s\\0' "$@"; readlink /proc/$$/fd/4; echo \${DBUS_SYSTEM_BUS_ADDRESS-none}; } >${directory}/asked; cat >${directory}/given; cat ${directory}/outcome`;
  const args = ["--json", "--port", "80:80", "--cni-path", `/nowhere::${directory}`];
  const { stdout } = await attempted(script, args, { DBUS_SYSTEM_BUS_ADDRESS: "unix:path=/x" });
  const report = { file: "zone.conflist", network: "zone", cniPath: ["/nowhere", directory], obstacles: [], added: [] };
  const notes = [
    "--port changes nothing: no plugin has the capability portMappings",
    "Install the wrappers there, with cni-wrappers install",
    "--cni-path: /nowhere does not exist",
  ];
  expect(JSON.parse(stdout)).toEqual({ ...report, ...outcome, notes });
  const asked = readFileSync(join(directory, "asked"), "utf8").split("\0");
  expect(asked).toEqual([
    ...["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc", "--"],
    ...["sh", "-c", expect.stringContaining("kill -KILL -1"), "sh"],
    ...["release", "/run/netns/a", "release", "/mnt/a", "release", "/mnt/user's", "empty", "/run"],
    ...["read-only", "/", "read-only", "/mnt/run", "read-only", "/mnt/root's"],
    ...["cover", "/var/lib", "empty", join(directory, "leases/zone"), "--"],
    ...["/proc/self/fd/4", process.argv[1], "try", "--inside", "-"],
    `${process.execPath}\nnone\n`,
  ]);
  expect(JSON.parse(readFileSync(join(directory, "given"), "utf8"))).toEqual({
    ...{ path: "zone.conflist", text: readFileSync(join(directory, "zone.conflist"), "utf8") },
    ...{ cniPath: ["/nowhere", directory], seconds: 60, ports: ["80:80"], commands: [] },
    outside: ["net", "mnt", "pid", "ipc", "uts"].map((kind) => `${kind}:[2]`),
  });
});

test("without unshare(1) nothing is tried", async () => {
  expect(await attempted("", [], { PATH: "/nowhere" })).toEqual(
    trouble("unshare(1) does not start: spawn unshare ENOENT"),
  );
});

test("without a free file descriptor nothing is tried", async () => {
  leaveNoDescriptor();
  expect(await attempted("")).toEqual(trouble("unshare(1) does not start: spawn unshare EMFILE"));
});

test("without /proc nothing is tried", async () => {
  redirect("/proc/self/ns", join(directory, "none"));
  expect(await attempted("", [])).toEqual(trouble("/proc/self/ns/net: there is no such file"));
});

describe("--inside", () => {
  const task: Task = { path: "x", text: "{}", cniPath: [], seconds: 1, commands: [], outside: [] };

  test.each<[string, readonly string[], string]>([
    ["in all of the host's namespaces", ownNamespaces(), "shares a namespace with the host"],
    ["in one of them", ownNamespaces().slice(0, 1), "shares a namespace with the host"],
    ["without the host's namespaces", [], "shares a namespace with the host"],
    ["where files can be written", ["net:[1]"], "it cannot be made read-only, so nothing was tried"],
  ])("runs nothing %s", async (_, outside, words) => {
    await expect(tryInside({ ...task, outside })).rejects.toThrow(words);
  });

  const open = "it cannot be made read-only, so nothing was tried";
  // @ stands for a directory that can be written.
  test.each([
    ["a directory that can be written", ["@ rw - tmpfs other rw"], open],
    ["the same beside a mount of its own", ["/sys rw - sysfs cni-wrappers-try rw", "@ rw - tmpfs other rw"], open],
    ["a path that nobody can look at", ["@/circle rw - tmpfs other rw"], open],
    ["one of the stage's own mounts", ["@ rw - tmpfs cni-wrappers-try rw"], "ip: broken"],
    [
      "the kernel's files, and what another mount hides",
      ["/proc rw - proc proc rw", "/none rw - ext4 x rw"],
      "ip: broken",
    ],
  ])("looks at each mount before it runs ip(8): %s", async (_, mounts, words) => {
    symlinkSync("circle", join(directory, "circle"));
    makeProc(
      directory,
      mounts.map((mount) => mount.replace("@", directory)),
    );
    // It reads its input first: else the pipe breaks now and then, before it says a word.
    writeProgram(join(directory, "ip"), "while read -r _; do :; done\necho broken >&2; exit 1");
    setVariable("PATH", `${directory}:${process.env.PATH}`);
    await expect(tryInside({ ...task, outside: ["net:[1]"] })).rejects.toThrow(words);
    writeProgram(join(directory, "ip"), "");
    const next = words === open ? open : "it is not a list with a name";
    await expect(tryInside({ ...task, outside: ["net:[1]"] })).rejects.toThrow(next);
  });
});

test("an agent that does not say its plugins: those of the usual directories are not tried in their place", async () => {
  const env = { PATH: process.env.PATH, NOMAD_ADDR: "http://127.0.0.1:1" };
  const outcome = await runCommand(["try", "zone.conflist"], { directory, env });
  expect(outcome).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("it may look elsewhere") });
});

test("the mounts of a process, with what an overlay has changed", () => {
  const text = `22 1 0:21 / /proc rw,nosuid shared:1 - proc proc rw
30 1 0:30 / /mnt/a\\040b rw - tmpfs cni-wrappers-try rw
31 1 0:31 / /opt rw - overlay cni-wrappers-try rw,lowerdir=/opt,upperdir=/run/x/up,workdir=/run/x/work
32 1 0:32 / /m rw - fuse cni-wrappers-try rw,user_id=1000,group_id=0
`;
  const others = { upper: undefined, isUsers: false };
  expect(mountsIn(text)).toEqual([
    { ...others, path: "/proc", kind: "proc", source: "proc" },
    { ...others, path: "/mnt/a b", kind: "tmpfs", source: "cni-wrappers-try" },
    { ...others, path: "/opt", kind: "overlay", source: "cni-wrappers-try", upper: "/run/x/up" },
    { ...others, path: "/m", kind: "fuse", source: "cni-wrappers-try", isUsers: true },
  ]);
  expect(["/proc", "/sys/fs", "/process", "/a/sys"].map(isOfKernel)).toEqual([true, true, false, false]);
});
