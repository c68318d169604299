import { appendFileSync, copyFileSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { attached, expectPassed, expectSuccess } from "../e2e/calls.ts";
import { twoInterfaces } from "../e2e/support.ts";
import { ansible } from "../support/ansible.ts";
import { Lab } from "../support/lab.ts";
import { nativeProgram } from "../support/native.ts";
import { architecture, writeArchives } from "../support/rollout-archives.ts";
import { root, scratch } from "../support/tree.ts";

const slim = path.join(root, "dist/slim/bin/cni-wrappers");
const executable = "/opt/cni/bin/cni-wrappers";
const list = twoInterfaces();

test("the role installs, changes nothing twice, upgrades, goes back, keeps what containers need, and removes", {
  timeout: 900_000,
}, async () => {
  const directory = scratch();
  const [first, second] = [slim, path.join(directory, "second")];
  copyFileSync(slim, second);
  // A program may end with more bytes than it uses.
  appendFileSync(second, "2");
  const failing = await nativeProgram("failing");
  const archives = await writeArchives(directory, { "1.0.0": first, "2.0.0": second, "3.0.0": failing });
  await using lab = await host();
  const sum = async (file: string) => (await lab.run("sha256sum", [file])).slice(0, 64);
  const [firstSum, secondSum] = [await sum(first), await sum(second)];
  const play = (state: string, version: string, more: Variables = {}) =>
    playRole(lab, {
      cni_wrappers_state: state,
      cni_wrappers_release: `file://${directory}`,
      cni_wrappers_version: version,
      cni_wrappers_checksum: archives[version]?.slim,
      cni_wrappers_tools_checksum: archives[version]?.tools,
      ...more,
    });

  const before = await lab.readdir("/opt/cni/bin");
  await lab.run("ln", ["-s", "/opt/cni/bin", "/run/plugins"]);
  for (const cni_wrappers_commands of ["/opt/cni/bin", "/run/plugins"]) {
    const same = await play("present", "1.0.0", { cni_wrappers_commands });
    expect(same).toMatchObject({ exitCode: 2, isReloaded: false });
    expect(same.output).toContain("cni_wrappers_commands and cni_wrappers_directory are the same directory");
    expect(await lab.readdir("/opt/cni/bin")).toEqual(before);
  }

  for (const checksum of ["cni_wrappers_checksum", "cni_wrappers_tools_checksum"]) {
    const unknown = await play("present", "1.0.0", { [checksum]: "" });
    expect(unknown).toMatchObject({ exitCode: 2, isReloaded: false });
    expect(unknown.output).toContain("cni_wrappers_checksum and cni_wrappers_tools_checksum are needed");
    expect(await lab.readdir("/opt/cni/bin")).toEqual(before);
  }

  const misspelled = await play("present", "1.0.0", { cni_wrappers_directory: "/opt/cni/bni" });
  expect(misspelled.output).toMatch(/"msg": "non-zero return code".*bni: there is no such directory/);
  expect(await play("present", "1.0.0")).toMatchObject({ exitCode: 0, isReloaded: true });
  expect(await sum(executable)).toBe(firstSum);
  expect(await lab.run("/run/commands/cni-wrappers", ["version"])).toMatch(/^flavor +node$/m);
  expect(await play("present", "1.0.0")).toMatchObject(unchanged);
  // The same version was built anew: its archive has another checksum.
  await lab.writeFile("/run/archives/1.0.0/tools/old", "");
  const anew = scratch();
  const built = path.join(anew, `cni-wrappers-tools-linux-${architecture}-v1.0.0.tgz`);
  await lab.run("sh", ["-ec", 'cp "$1"/*v1.0.0.tgz "$2"; gzip </dev/null >>"$3"', "sh", directory, anew, built]);
  const others = { cni_wrappers_release: `file://${anew}`, cni_wrappers_tools_checksum: `sha256:${await sum(built)}` };
  expect(await play("present", "1.0.0", others)).toMatchObject({ exitCode: 0 });
  expect(await lab.readdir("/run/archives/1.0.0/tools")).not.toContain("old");
  const container = await attached(lab, lab.goCni, list);
  expect(await play("present", "2.0.0")).toMatchObject({ exitCode: 0, isReloaded: true });
  expect(await sum(executable)).toBe(secondSum);
  expectPassed(await lab.goCni.check(list, container));
  expect(await play("rolled_back", "2.0.0")).toMatchObject({ exitCode: 0, isReloaded: true });
  expect(await sum(executable)).toBe(firstSum);
  expect(await play("rolled_back", "2.0.0")).toMatchObject(unchanged);

  const failed = await play("present", "3.0.0");
  expect(failed).toMatchObject({ exitCode: 2, isReloaded: false });
  expect(failed.output).toContain("1 containers fail CHECK now, and 0 failed it before");
  expect(await sum(executable)).toBe(firstSum);
  expectPassed(await lab.goCni.check(list, container));

  const refused = await play("absent", "1.0.0");
  expect(refused).toMatchObject({ exitCode: 2, isReloaded: false });
  expect(refused.output).toContain("1 running container needs the wrappers");
  expectPassed(await lab.goCni.check(list, container));
  expectSuccess(await lab.goCni.del(list, container));
  expect(await play("absent", "1.0.0")).toMatchObject({ exitCode: 0, isReloaded: true });
  expect((await lab.readdir("/opt/cni/bin")).filter((name) => name.includes("wrapper"))).toEqual([]);
  expect(existsSync(lab.path("/run/archives"))).toBe(false);
  expect(await lab.readdir("/run/commands")).toEqual([]);
  expect(await play("absent", "1.0.0")).toMatchObject(unchanged);
});

test("the role distributes a list, restarts the runtime once, refuses a list with a mistake, and puts the old list back", {
  timeout: 900_000,
}, async () => {
  const directory = scratch();
  const archives = await writeArchives(directory, { "1.0.0": slim });
  await using lab = await host();
  const file = path.join(directory, "zone.conflist");
  // Both times are in whole seconds.
  const restart = "sleep 3; sleep 3600 >/dev/null 2>&1 & echo $! >/run/agent; echo x >>/run/restarts";
  await lab.run("sh", ["-ec", restart]);
  const play = (more: Variables) =>
    playRole(lab, {
      cni_wrappers_state: "present",
      cni_wrappers_release: `file://${directory}`,
      cni_wrappers_version: "1.0.0",
      cni_wrappers_checksum: archives["1.0.0"]?.slim,
      cni_wrappers_tools_checksum: archives["1.0.0"]?.tools,
      cni_wrappers_list: file,
      cni_wrappers_agent: "cat /run/agent",
      cni_wrappers_settle: "60",
      cni_wrappers_restart: restart,
      ...more,
    });
  const lists = async () => JSON.parse(await lab.readFile("/opt/cni/config/zone.conflist"));
  const restarts = async () => (await lab.readFile("/run/restarts")).length / 2 - 1;
  const another = { ...list, keywords: ["new"] };
  writeFileSync(file, JSON.stringify(another));
  expect(await play({ cni_wrappers_list: "", cni_wrappers_restart: "" })).toMatchObject({ exitCode: 0 });
  const container = await attached(lab, lab.goCni, list);
  const done = await play({});
  expect({ ...done, output: done.output.slice(-3000) }).toMatchObject({ exitCode: 0 });
  expect([await lists(), await restarts()]).toEqual([another, 1]);
  const second = await play({});
  expect([await restarts(), second.exitCode]).toEqual([1, 0]);

  writeFileSync(file, JSON.stringify({ ...list, plugins: [{ ...list.plugins[0], master: "none" }] }));
  const refused = await play({});
  expect(refused.exitCode).toBe(2);
  expect(refused.output).toMatch(/so \/opt\/cni\/config\/zone.conflist stays as it is/);
  expect([await lists(), await restarts()]).toEqual([another, 1]);

  expect(await play({ cni_wrappers_list_step: "back" })).toMatchObject({ exitCode: 0 });
  expect([await lists(), await restarts()]).toEqual([list, 2]);
  expectPassed(await lab.goCni.check(list, container));
});

test("absent switches off the timers that are there, and leaves a link that is not its own", async () => {
  await using lab = await host();
  await lab.run("sh", ["-ec", "cp -a /etc /run/etc; mount --bind /run/etc /etc; mkdir /run/timers"]);
  await lab.writeScript("/run/programs/systemctl", systemctl);
  for (const name of ["cni-wrappers-prune.timer", "cni-wrappers-other.timer"])
    await lab.run("touch", [
      `/etc/systemd/system/${name}`,
      `/run/timers/${name}.enabled`,
      `/run/timers/${name}.active`,
    ]);
  await lab.run("ln", ["-s", "/opt/tools/cni-wrappers", "/run/commands/cni-wrappers"]);

  const absent = () => playRole(lab, { cni_wrappers_state: "absent" });
  expect(await absent()).toMatchObject({ exitCode: 0, changed: "1", isReloaded: false });
  const others = ["cni-wrappers-other.timer.active", "cni-wrappers-other.timer.enabled"];
  expect(await lab.readdir("/run/timers")).toEqual(others);
  expect(await lab.run("readlink", ["/run/commands/cni-wrappers"])).toBe("/opt/tools/cni-wrappers");
  expect(await absent()).toMatchObject(unchanged);
});

/** A systemd with timers. The state of each is two files in /run/timers. */
const systemctl = `#!/bin/sh
verb=$1 unit=$2
cd /run/timers
case $verb in
  show)
    [ -e "/etc/systemd/system/$unit" ] && echo LoadState=loaded || echo LoadState=not-found
    [ -e "$unit.active" ] && echo ActiveState=active || echo ActiveState=inactive
    ;;
  is-enabled) [ -e "$unit.enabled" ] && echo enabled || { echo disabled; exit 1; } ;;
  disable) rm "$unit.enabled" ;;
  stop) rm "$unit.active" ;;
  *) exit 1 ;;
esac
`;

const unchanged = { exitCode: 0, changed: "0", isReloaded: false };

type Variables = Readonly<Record<string, string | undefined>>;

/** Plays the role in a lab. Says how it ended, and whether it reloaded the runtime. */
async function playRole(lab: Lab, own: Variables) {
  const bin = ansible();
  const variables = {
    cni_wrappers_cache: "/run/archives",
    cni_wrappers_commands: "/run/commands",
    cni_wrappers_reload: "cp /proc/uptime /run/reloaded",
    ansible_become: false,
    ansible_python_interpreter: `${bin}/python3`,
    ...own,
  };
  const args = ["-i", "host,", "-c", "local", "-e", JSON.stringify(variables), "site.yml"];
  const script = `cd ${root}/conf-examples/ansible; rm -f /run/reloaded; exec ${bin}/ansible-playbook "$@"`;
  const PATH = "/run/programs:/usr/sbin:/usr/bin:/sbin:/bin";
  const env = { HOME: "/run/home", LC_ALL: "C.UTF-8", ANSIBLE_NOCOLOR: "1", PATH };
  const { exitCode, stdout, stderr } = await lab.call("sh", ["-c", script, "sh", ...args], { env });
  const [, changed = "no recap"] = /changed=(\d+)/.exec(stdout) ?? [];
  const isReloaded = existsSync(lab.path("/run/reloaded"));
  return { exitCode, changed, isReloaded, output: `${stdout}${stderr}` };
}

/** A host with the reference plugins and a list, without the wrappers. */
async function host(): Promise<Lab> {
  const lab = await Lab.start({ programs: {} });
  const script = `mkdir /run/commands; cd /opt/cni/bin; umount cni-wrappers; find . -type l -delete; rm cni-wrappers; mkdir ../config`;
  await lab.run("sh", ["-ec", script]);
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
  return lab;
}
