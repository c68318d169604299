import { describe, expect, test } from "vitest";
import { installScripts, scriptPath } from "../nomad/scripts.ts";
import { Lab } from "../support/lab.ts";
import { attached, expectPassed, expectSuccess } from "./calls.ts";
import { bridge, macvlan, twoInterfaces, zone } from "./support.ts";

const list = twoInterfaces();

/** A lab whose wrappers `install` put next to the reference plugins. */
async function installed(): Promise<Lab> {
  const lab = await Lab.start();
  await lab.run("umount", ["/opt/cni/bin/cni-wrappers"]);
  await lab.run("sh", ["-c", "cd /opt/cni/bin && find . -type l -delete && rm cni-wrappers"]);
  expectSuccess(await lab.call(Lab.command, ["install"]));
  return lab;
}

describe("uninstall", () => {
  test("removes nothing while a container needs the wrappers, and everything later", async () => {
    await using lab = await installed();
    const container = await attached(lab, lab.goCni, list);
    const refused = await lab.call(Lab.command, ["uninstall"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toMatch(/^1 running container needs the wrappers:\n {2}zone c1\n/);
    // Without libcni's cache, the journals tell of it.
    await lab.run("mv", ["/var/lib/cni/results", "/var/lib/cni/elsewhere"]);
    expect((await lab.call(Lab.command, ["uninstall"])).stdout).toBe(refused.stdout);
    await lab.run("mv", ["/var/lib/cni/elsewhere", "/var/lib/cni/results"]);
    expectPassed(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    expectSuccess(await lab.call(Lab.command, ["uninstall"]));
    expect((await lab.readdir("/opt/cni/bin")).filter((name) => name.includes("wrapper"))).toEqual([]);
  });

  test("removes nothing of a container that a script attached and that a wrapped list checks now, nor does unwrap", async () => {
    await using lab = await installed();
    await installScripts("workaround")(lab);
    const container = await lab.addContainer("c1");
    const plain = zone(macvlan, bridge);
    expectPassed(await lab.goCni.add(plain, container, { pluginPath: scriptPath }));
    await lab.run("rm", ["-r", "/opt/cni/bin/script"]);
    const file = "/opt/cni/config/zone.conflist";
    await lab.writeFile(file, JSON.stringify(plain));
    await lab.call(Lab.command, ["wrap", "--write", file]);
    const list = JSON.parse(await lab.readFile(file));
    expectPassed(await lab.goCni.check(list, container));
    for (const args of [["uninstall"], ["unwrap", "--write", file]]) {
      const { exitCode, stdout, stderr } = await lab.call(Lab.command, args);
      expect({ exitCode, said: stdout + stderr }, String(args)).toMatchObject({
        exitCode: 1,
        said: expect.stringMatching(/1 running container needs the wrappers:\n {2}zone c1\n/),
      });
    }
    expectPassed(await lab.goCni.check(list, container));
  });

  test.each([
    ["immutable", "chattr +i", "chattr -i", "it is immutable (run: chattr -i), or its file system has no hard links"],
    ["a mount", "mount --bind /opt/cni/bin/cni-wrappers", "umount", "something is mounted on it"],
  ])("an executable that is %s: nothing is removed, and every link works", async (_how, hold, release, reason) => {
    await using lab = await installed();
    const container = await attached(lab, lab.goCni, list);
    const before = await lab.readdir("/opt/cni/bin");
    await lab.run("sh", ["-c", `${hold} /opt/cni/bin/cni-wrappers`]);
    expect(await lab.call(Lab.command, ["uninstall", "--force"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`/opt/cni/bin/cni-wrappers: ${reason}`),
    });
    expect(await lab.readdir("/opt/cni/bin")).toEqual(before);
    expectPassed(await lab.goCni.check(list, container));
    await lab.run("sh", ["-c", `${release} /opt/cni/bin/cni-wrappers`]);
    expectSuccess(await lab.call(Lab.command, ["uninstall", "--force"]));
  });

  test("--force removes them, and a namespace that is gone needs none", async () => {
    await using lab = await installed();
    const container = await attached(lab, lab.goCni, list);
    expectSuccess(await lab.call(Lab.command, ["uninstall", "--force"]));
    expect((await lab.goCni.check(list, container)).exitCode).toBe(1);
    expectSuccess(await lab.call(Lab.command, ["install"]));
    expectPassed(await lab.goCni.check(list, container));
    await lab.deleteNamespace(container);
    expectSuccess(await lab.call(Lab.command, ["uninstall"]));
  });
});

describe("install on a file system that is", () => {
  test.each([
    ["read-only", "ro", "/opt/target: the file system is read-only"],
    ["full", "size=1m", "/opt/target: no space left on the device"],
    ["noexec", "noexec", "the system runs no program in /opt/target: is its file system mounted with noexec?"],
  ])("%s: one line says so, and nothing is installed", async (_kind, option, message) => {
    await using lab = await Lab.start();
    await lab.run("mkdir", ["/opt/target"]);
    await lab.run("mount", ["-t", "tmpfs", "-o", option, "target", "/opt/target"]);
    const { exitCode, stderr } = await lab.call(Lab.command, ["install", "--dir", "/opt/target"]);
    expect({ exitCode, stderr: stderr.split("\n") }).toEqual({
      exitCode: 2,
      stderr: [expect.stringContaining(message)],
    });
    expect((await lab.readdir("/opt/target")).filter((name) => !name.startsWith("."))).toEqual([]);
  });
});
