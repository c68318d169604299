import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nfpmProgram } from "../../build/packages/nfpm.ts";
import { makePackages } from "../../build/packages/package.ts";
import { attached, expectPassed, expectSuccess, twoInterfaces } from "../e2e/support.ts";
import { Lab } from "../support/lab.ts";

const root = path.resolve(import.meta.dirname, "../..");
const slim = path.join(root, "dist/slim/bin/cni-wrappers");
const list = twoInterfaces("1.0.0");
const scratch = mkdtempSync(path.join(tmpdir(), "packages-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Makes the .deb and the .rpm of a version. A program may end with more bytes than it uses. */
async function packageOf(version: string, name: string): Promise<readonly string[]> {
  const [archive, work] = ["archive", "work"].map((kind) => path.join(scratch, `${kind}-${version}-${name}`));
  for (const directory of [archive, work]) mkdirSync(directory as string);
  for (const text of ["LICENSE", "README.md"]) copyFileSync(path.join(root, text), path.join(archive as string, text));
  writeFileSync(path.join(archive as string, "NOTICE"), "nothing else is inside\n");
  writeFileSync(
    path.join(archive as string, "cni-wrappers"),
    Buffer.concat([readFileSync(slim), Buffer.from(version)]),
    {
      mode: 0o755,
    },
  );
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const stamp = { version, commit: "unknown" };
  const source = { flavor: "slim", architecture, archive: archive as string, stamp, epoch: 1e9 } as const;
  return makePackages({ ...source, nfpm: await nfpmProgram() }, path.join(scratch, name), work as string);
}

/** A lab without wrappers, whose /usr and /etc forget every change, and whose dpkg knows no package. */
async function debian(packages: Readonly<Record<string, string>>): Promise<Lab> {
  const lab = await Lab.start({ plugins: "1.9.1", programs: packages });
  const script = `umount /opt/cni/bin/cni-wrappers
    find /opt/cni/bin -type l -delete; rm /opt/cni/bin/cni-wrappers
    mkdir /run/over; mount -t tmpfs over /run/over
    for place in usr etc; do
      mkdir -p /run/over/$place/upper /run/over/$place/work
      mount -t overlay -o lowerdir=/$place,upperdir=/run/over/$place/upper,workdir=/run/over/$place/work over /$place
    done
    mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates /var/lib/dpkg/triggers; touch /var/lib/dpkg/status`;
  await lab.run("sh", ["-ec", script]);
  return lab;
}

/** Every file of the host that a package could make. */
const filesOf = (lab: Lab) => lab.run("sh", ["-c", "find /opt /run/over/*/upper -not -type d | sort"]);

describe("the Debian package", () => {
  test.skipIf(!existsSync(slim))("the same files give the same bytes", async () => {
    const [one, other] = [await packageOf("0.1.0", "one"), await packageOf("0.1.0", "other")];
    expect(one.map((file) => readFileSync(file).equals(readFileSync(other[one.indexOf(file)] as string)))).toEqual([
      true,
      true,
    ]);
  });

  test.skipIf(!existsSync(slim))(
    "500 CHECKs pass while it is upgraded; it stays while a container runs",
    { timeout: 900_000 },
    async () => {
      const [first = ""] = await packageOf("0.1.0", "upgrade");
      const [second = ""] = await packageOf("0.2.0", "upgrade");
      await using lab = await debian({ "first.deb": first, "second.deb": second });
      const before = await filesOf(lab);
      const dpkg = (...args: string[]) => lab.call("dpkg", args);
      expect(await dpkg("-i", "/run/lab/programs/first.deb")).toMatchObject({ exitCode: 0 });
      expect(await filesOf(lab)).toContain("/run/over/etc/upper/logrotate.d/cni-wrappers\n");
      expect(await lab.run("/usr/lib/cni/bridge-wrapper")).toMatch(/^CNI bridge-wrapper plugin v/);
      const container = await attached(lab, lab.goCni, list);
      let isDone = false;
      const outcomes: { exitCode: number | undefined }[] = [];
      const checks = async () => {
        while (!isDone) outcomes.push(await lab.goCni.check(list, container));
      };
      const running = [checks(), checks(), checks(), checks()];
      for (let count = 0; outcomes.length < 500; count++) {
        const name = count % 2 === 0 ? "second" : "first";
        expect(await dpkg("-i", `/run/lab/programs/${name}.deb`)).toMatchObject({ exitCode: 0 });
      }
      const refused = await dpkg("--remove", "cni-wrappers");
      isDone = true;
      await Promise.all(running);
      expect(outcomes.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(
        "running containers need the wrappers:\n  zone:c1:eth0:eth0\n  zone:c1:eth0:eth1\n",
      );
      expectPassed(await lab.goCni.check(list, container));
      expectSuccess(await lab.goCni.del(list, container));
      expect(await dpkg("--purge", "cni-wrappers")).toMatchObject({ exitCode: 0 });
      expect(await filesOf(lab)).toBe(before);
    },
  );
});

describe("the RPM package", () => {
  test.skipIf(!existsSync(slim))("is installed, upgraded, kept while a container runs, and removed", async () => {
    const [, first = ""] = await packageOf("0.1.0", "rpm");
    const [, second = ""] = await packageOf("0.2.0", "rpm");
    await using lab = await debian({ "first.rpm": first, "second.rpm": second });
    const before = await filesOf(lab);
    const rpm = (...args: string[]) => lab.call("rpm", ["--dbpath", "/run/rpm", ...args]);
    expect(await rpm("--nodeps", "--install", "/run/lab/programs/first.rpm")).toMatchObject({ exitCode: 0 });
    const container = await attached(lab, lab.goCni, list);
    // rpm does not know what Debian has installed.
    expect(await rpm("--nodeps", "--upgrade", "/run/lab/programs/second.rpm")).toMatchObject({ exitCode: 0 });
    expect((await rpm("--query", "cni-wrappers")).stdout).toMatch(/^cni-wrappers-0\.2\.0-/);
    expectPassed(await lab.goCni.check(list, container));
    const refused = await rpm("--erase", "cni-wrappers");
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain("running containers need the wrappers:\n  zone:c1:eth0:eth0\n");
    expectPassed(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    expect(await rpm("--erase", "cni-wrappers")).toMatchObject({ exitCode: 0 });
    expect(await filesOf(lab)).toBe(before);
  });
});
