import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { nfpmProgram } from "../../build/packages/nfpm.ts";
import { makePackages } from "../../build/packages/package.ts";
import type { Flavor } from "../../build/release/artifacts.ts";
import { attached, expectPassed, expectSuccess } from "../e2e/calls.ts";
import { twoInterfaces } from "../e2e/support.ts";
import { Lab } from "../support/lab.ts";
import { root, scratch } from "../support/tree.ts";
import { version } from "../support/version.ts";
import { failedDuring } from "./host-with.ts";

const slim = path.join(root, "dist/slim/bin/cni-wrappers");
const { author } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { author: string };
const node = path.join(root, "dist/bin/cni-wrappers");
const list = twoInterfaces();

/** Makes the .deb and the .rpm of a version of the slim flavor. A program may end with more bytes than it uses. */
function packageOf(version: string): Promise<readonly string[]> {
  return packed("slim", version, Buffer.concat([readFileSync(slim), Buffer.from(version)]));
}

async function packed(flavor: Flavor, version: string, program: Buffer): Promise<readonly string[]> {
  const archive = scratch();
  for (const text of ["LICENSE", "README.md"]) copyFileSync(path.join(root, text), path.join(archive, text));
  writeFileSync(path.join(archive, "NOTICE"), "nothing else is inside\n");
  writeFileSync(path.join(archive, "cni-wrappers"), program, { mode: 0o755 });
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const stamp = { version, commit: "unknown" };
  const source = { flavor, architecture, archive, stamp, epoch: 1e9 } as const;
  return makePackages({ ...source, nfpm: await nfpmProgram() }, scratch(), scratch());
}

/** A lab without wrappers, whose /usr and /etc forget every change, and whose dpkg knows no package. */
async function debian(packages: Readonly<Record<string, string>>): Promise<Lab> {
  const lab = await Lab.start({ programs: packages });
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
  test("the same files give the same bytes", async () => {
    const [one, other] = [await packageOf("0.1.0"), await packageOf("0.1.0")];
    expect(one.map((file) => readFileSync(file).equals(readFileSync(other[one.indexOf(file)] as string)))).toEqual([
      true,
      true,
    ]);
  });

  test("500 CHECKs pass while it is upgraded; it stays while a container runs", { timeout: 900_000 }, async () => {
    const [first = ""] = await packageOf("0.1.0");
    const [second = ""] = await packageOf("0.2.0");
    await using lab = await debian({ "first.deb": first, "second.deb": second });
    const before = await filesOf(lab);
    const dpkg = (...args: string[]) => lab.call("dpkg", args);
    expect(await dpkg("-i", "/run/lab/programs/first.deb")).toMatchObject({ exitCode: 0 });
    expect(await filesOf(lab)).toContain("/run/over/etc/upper/logrotate.d/cni-wrappers\n");
    expect(await lab.run("/usr/lib/cni/bridge-wrapper")).toMatch(/^CNI bridge-wrapper plugin v/);
    const container = await attached(lab, lab.goCni, list);
    const upgrade = async (count: number) => {
      const name = count % 2 === 0 ? "second" : "first";
      expect(await dpkg("-i", `/run/lab/programs/${name}.deb`)).toMatchObject({ exitCode: 0 });
    };
    expect(await failedDuring(lab, list, container, upgrade)).toEqual([]);
    const refused = await dpkg("--remove", "cni-wrappers");
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("running containers need the wrappers:\n  c1/zone:eth0\n");
    expectPassed(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    expect(await dpkg("--purge", "cni-wrappers")).toMatchObject({ exitCode: 0 });
    expect(await filesOf(lab)).toBe(before);
  });

  test("CNI_WRAPPERS_FORCE removes it while a container runs", async () => {
    const [file = ""] = await packageOf("0.1.0");
    await using lab = await debian({ "first.deb": file });
    const before = await filesOf(lab);
    expect(await lab.call("dpkg", ["-i", "/run/lab/programs/first.deb"])).toMatchObject({ exitCode: 0 });
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.call("dpkg", ["--remove", "cni-wrappers"])).toMatchObject({ exitCode: 1 });
    expectPassed(await lab.goCni.check(list, container));
    const env = { CNI_WRAPPERS_FORCE: "1" };
    expect(await lab.call("dpkg", ["--remove", "cni-wrappers"], { env })).toMatchObject({ exitCode: 0 });
    expect((await lab.goCni.check(list, container)).exitCode).toBe(1);
    expect(await lab.call("dpkg", ["--purge", "cni-wrappers"])).toMatchObject({ exitCode: 0 });
    expect(await filesOf(lab)).toBe(before);
  });
});

describe("the RPM package", () => {
  test("is installed, upgraded, kept while a container runs, and removed", async () => {
    const [, first = ""] = await packageOf("0.1.0");
    const [, second = ""] = await packageOf("0.2.0");
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
    expect(refused.stderr).toContain("running containers need the wrappers:\n  c1/zone:eth0\n");
    expectPassed(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    expect(await rpm("--erase", "cni-wrappers")).toMatchObject({ exitCode: 0 });
    expect(await filesOf(lab)).toBe(before);
  });
});

describe("the package of the commands", () => {
  const made = [
    "/usr/bin/cni-wrappers",
    "/usr/lib/systemd/system/cni-wrappers-prune.service",
    "/usr/lib/systemd/system/cni-wrappers-prune.timer",
    "/usr/share/bash-completion/completions/cni-wrappers",
    "/usr/share/doc/cni-wrappers-tools/NOTICE",
    "/usr/share/doc/cni-wrappers-tools/README.md",
    "/usr/share/doc/cni-wrappers-tools/copyright",
    "/usr/share/fish/vendor_completions.d/cni-wrappers.fish",
    "/usr/share/man/man1/cni-wrappers.1.gz",
    "/usr/share/zsh/site-functions/_cni-wrappers",
  ];

  test.each([
    ["deb", 0, "dpkg -i", "dpkg --purge", "dpkg -s"],
    [
      "rpm",
      1,
      "rpm --dbpath /run/rpm --nodeps --install",
      "rpm --dbpath /run/rpm --erase",
      "rpm --dbpath /run/rpm -qi",
    ],
  ])(
    "%s: next to the wrappers it has completions, a manual page and a timer, and leaves nothing",
    { timeout: 900_000 },
    async (_kind, index, install, remove, describe) => {
      const [slimOnes, tools] = [await packageOf(version), await packed("node", version, readFileSync(node))];
      await using lab = await debian({ slim: slimOnes[index] ?? "", tools: tools[index] ?? "" });
      const shell = (script: string) => lab.run("bash", ["-ec", script]);
      const before = await filesOf(lab);
      await shell(`${install} /run/lab/programs/slim`);
      const wrappers = await filesOf(lab);
      await shell(`${install} /run/lab/programs/tools`);
      const added = new Set((await filesOf(lab)).replaceAll("/run/over/usr/upper", "/usr").split("\n"));
      for (const name of wrappers.replaceAll("/run/over/usr/upper", "/usr").split("\n")) added.delete(name);
      expect([...added].sort()).toEqual(made);
      expect(await shell(`${describe} cni-wrappers-tools`)).toContain(author);
      expect(await shell("cni-wrappers version")).toMatch(new RegExp(`^version +${version}$`, "m"));
      expect(await shell("cni-wrappers version")).toMatch(/^flavor +node$/m);
      expect(await shell("/opt/cni/bin/bridge-wrapper")).toMatch(/^Flavor: slim$/m);
      // systemd looks for it in PATH.
      expect(await shell(`cat ${made[1]}`)).toMatch(/^ExecStart=cni-wrappers /m);
      expect(await shell(`gzip -dc ${made[8]}`)).toContain('.TH CNI\\-WRAPPERS 1 "" "cni\\-wrappers');
      expect(await shell(`. ${made[3]}; complete -p cni-wrappers`)).toMatch(/^complete .*cni-wrappers$/m);
      await shell(`${remove} cni-wrappers-tools`);
      expect(await filesOf(lab)).toBe(wrappers);
      await shell(`${remove} cni-wrappers`);
      expect(await filesOf(lab)).toBe(before);
    },
  );
});
