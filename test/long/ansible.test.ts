import { appendFileSync, copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { attached, expectPassed, expectSuccess, twoInterfaces } from "../e2e/support.ts";
import { ansible } from "../support/ansible.ts";
import { Lab } from "../support/lab.ts";
import { nativeProgram } from "../support/native.ts";
import { writeArchives } from "../support/rollout-archives.ts";
import { root, scratch } from "../support/tree.ts";

const slim = path.join(root, "dist/slim/bin/cni-wrappers");
const executable = "/opt/cni/bin/cni-wrappers";
const list = twoInterfaces("1.0.0");

test.skipIf(!existsSync(slim))(
  "the role installs, changes nothing twice, upgrades, goes back, keeps what containers need, and removes",
  { timeout: 900_000 },
  async () => {
    const bin = ansible();
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
    const play = async (state: string, version: string) => {
      const variables = {
        cni_wrappers_state: state,
        cni_wrappers_release: `file://${directory}`,
        cni_wrappers_version: version,
        cni_wrappers_checksum: archives[version]?.slim,
        cni_wrappers_tools_checksum: archives[version]?.tools,
        cni_wrappers_cache: "/run/archives",
        cni_wrappers_commands: "/run/commands",
        cni_wrappers_reload: "cp /proc/uptime /run/reloaded",
        ansible_become: false,
        ansible_python_interpreter: `${bin}/python3`,
      };
      const args = ["-i", "host,", "-c", "local", "-e", JSON.stringify(variables), "site.yml"];
      const script = `cd ${root}/conf-examples/ansible; rm -f /run/reloaded; exec ${bin}/ansible-playbook "$@"`;
      const env = { HOME: "/run/home", LC_ALL: "C.UTF-8", ANSIBLE_NOCOLOR: "1" };
      const { exitCode, stdout, stderr } = await lab.call("sh", ["-c", script, "sh", ...args], { env });
      const [, changed = "no recap"] = /changed=(\d+)/.exec(stdout) ?? [];
      const isReloaded = existsSync(lab.path("/run/reloaded"));
      return { exitCode, changed, isReloaded, output: `${stdout}${stderr}` };
    };
    const unchanged = { exitCode: 0, changed: "0", isReloaded: false };

    expect(await play("present", "1.0.0")).toMatchObject({ exitCode: 0, isReloaded: true });
    expect(await sum(executable)).toBe(firstSum);
    expect(await lab.run("/run/commands/cni-wrappers", ["version"])).toMatch(/^flavor +node$/m);
    expect(await play("present", "1.0.0")).toMatchObject(unchanged);
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
  },
);

/** A host with the reference plugins and a list, without the wrappers. */
async function host(): Promise<Lab> {
  const lab = await Lab.start({ plugins: "1.9.1", programs: {} });
  const script = `mkdir /run/commands; cd /opt/cni/bin; umount cni-wrappers; find . -type l -delete; rm cni-wrappers; mkdir ../config`;
  await lab.run("sh", ["-ec", script]);
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
  return lab;
}
