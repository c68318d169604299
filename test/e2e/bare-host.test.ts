import { execa } from "execa";
import { expect, test } from "vitest";
import type { Result } from "../support/kernel.ts";
import { type CallOptions, Lab, type Outcome } from "../support/lab.ts";
import { findProgram } from "../support/program.ts";
import { releaseArchive } from "../support/release-archive.ts";
import { expectFailure, expectNothingLeft, expectSuccess } from "./calls.ts";
import { twoInterfaces } from "./support.ts";

/** The programs and libraries of a host for the tested flavor, besides busybox and the reference plugins. */
const libraries =
  process.env.CNI_WRAPPERS_FLAVOR === "slim" ? [] : ["libc", "libm", "libdl", "libpthread", "libstdc++", "libgcc_s"];

/** Makes a root file system in a lab. $1 is the archive's name, the rest are libraries, with their paths. */
const makeRoot = `
mkdir /run/bare && mount -t tmpfs bare /run/bare && cd /run/bare
mkdir -p bin dev proc sys run/netns tmp var/lib/cni opt/cni/bin plugins net.d
mknod -m 666 dev/null c 1 3
cp /run/lab/programs/busybox bin/
for applet in sh tar sha256sum find; do ln -s busybox bin/$applet; done
cp /run/lab/programs/archive "tmp/$1" && cp /run/lab/programs/checksum "tmp/$1.sha256"
cp /run/lab/plugins/macvlan /run/lab/plugins/bridge /run/lab/plugins/host-local plugins/
cp /run/lab/drivers/cnitool bin/
shift; for library; do mkdir -p ".\${library%/*}"; cp "$library" ".$library"; done
mount -t proc proc proc; mount -t sysfs sysfs sys; mount --rbind /run/netns run/netns
mkdir -p /var/lib/cni; mount --bind /var/lib/cni var/lib/cni`;

/** A first installation by hand: no call runs meanwhile. */
const install = 'cd /tmp && sha256sum -c "$1.sha256" && tar -xzf "$1" -C /opt/cni/bin';

async function librariesOf(file: string): Promise<string[]> {
  const { stdout } = await execa("ldd", [file]);
  const found = [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(/gm)].map(([, library = ""]) => library);
  return found.filter((path) => /ld-linux/.test(path) || libraries.some((name) => path.includes(`/${name}.so`)));
}

test("from the archive alone, on a host with nothing but busybox, a chain of two passes ADD, CHECK and DEL", async () => {
  using archive = releaseArchive();
  const path = `${archive.directory}/${archive.name}`;
  const busybox = (await findProgram("busybox")) ?? "";
  const programs = { busybox, archive: path, checksum: `${path}.sha256` };
  await using lab = await Lab.start({ programs });
  const container = await lab.addContainer("c1");
  const needed = libraries.length === 0 ? [] : await librariesOf(`${process.env.CNI_WRAPPERS_BIN}/cni-wrappers`);
  await lab.run("sh", ["-euc", makeRoot, "sh", archive.name, ...needed]);
  const onHost = (args: readonly string[], options?: CallOptions): Promise<Outcome> =>
    lab.call("chroot", ["/run/bare", ...args], options);

  const installed = expectSuccess(await onHost(["/bin/sh", "-c", install, "sh", archive.name]));
  expect(installed).toBe(`${archive.name}: OK`);
  const files = expectSuccess(await onHost(["/bin/sh", "-c", "find / -xdev -type f"]));
  const others = files.split("\n").filter((file) => !/^\/(tmp|opt\/cni\/bin|plugins)\//.test(file));
  expect(others.sort()).toEqual(["/bin/busybox", "/bin/cnitool", ...needed].sort());

  const list = twoInterfaces();
  await lab.writeFile("/run/bare/net.d/zone.conflist", JSON.stringify(list));
  const env = { CNI_PATH: "/opt/cni/bin:/plugins", NETCONFPATH: "/net.d" };
  const cnitool = (verb: string) => onHost(["/bin/cnitool", verb, "zone", "/run/netns/c1"], { env });
  const result: Result = JSON.parse(expectSuccess(await cnitool("add")));
  expect(result.interfaces?.filter(({ sandbox }) => sandbox).map(({ name }) => name)).toEqual(["eth0", "eth1"]);
  expectSuccess(await cnitool("check"));
  await lab.ip(container, "address", "flush", "dev", "eth1");
  expectFailure(await cnitool("check"), /Failed to match addr|does not exist|expected/i);
  expectSuccess(await cnitool("del"));
  await expectNothingLeft(lab, ["disc0"]);
});
