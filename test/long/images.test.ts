import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { type ImageSource, makeImage } from "../../build/image/oci.ts";
import { makeSystemExtension } from "../../build/image/sysext.ts";
import { attached, expectPassed } from "../e2e/calls.ts";
import { twoInterfaces } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { root, scratch } from "../support/tree.ts";
import { version } from "../support/version.ts";
import { bin, cli, hostWith, smallest } from "./host-with.ts";

const slim = path.join(root, "dist/slim/bin");
const timeout = 300_000;
const architecture = process.arch === "arm64" ? "arm64" : "amd64";

type Make = (source: ImageSource, output: string, work: string) => string;

/** Makes an image of the slim flavor. A program may end with more bytes than it uses. */
function make(maker: Make, ending = ""): string {
  const [archive, output, work] = [scratch(), scratch(), scratch()];
  cpSync(slim, archive, { recursive: true, verbatimSymlinks: true });
  const executable = path.join(archive, "cni-wrappers");
  writeFileSync(executable, Buffer.concat([readFileSync(path.join(slim, "cni-wrappers")), Buffer.from(ending)]));
  for (const text of ["LICENSE", "README.md"]) copyFileSync(path.join(root, text), path.join(archive, text));
  writeFileSync(path.join(archive, "NOTICE"), "nothing else is inside\n");
  writeFileSync(path.join(archive, "cni-wrappers.cdx.json"), "{}\n");
  return maker({ architecture, archive, version, commit: "c0ffee", epoch: 1e9 }, output, work);
}

const sumOf = async (file: string) => (await execa("sha256sum", [file])).stdout.slice(0, 64);

describe("the container image", () => {
  test("the same files give the same bytes", { timeout }, () => {
    expect(readFileSync(make(makeImage)).equals(readFileSync(make(makeImage)))).toBe(true);
  });

  test("its digests are right, and its entry point installs, upgrades and refuses", { timeout }, async () => {
    const [first, second] = [await unpacked(make(makeImage)), await unpacked(make(makeImage, "2"))];
    await using lab = await hostWith(smallest);
    const before = await lab.readdir(bin);
    await lab.writeFile(`${bin}/vlan-wrapper`, "");
    const refused = await start(lab, first);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("/host/opt/cni/bin/vlan-wrapper is something that install did not make");
    await lab.run("rm", [`${bin}/vlan-wrapper`]);
    expect(await lab.readdir(bin)).toEqual(before);

    expect(await start(lab, first)).toMatchObject({ exitCode: 0, stdout: "/host/opt/cni/bin: installed" });
    const container = await attached(lab, lab.goCni, twoInterfaces());
    expect(await start(lab, second)).toMatchObject({ exitCode: 0 });
    expect(await start(lab, second)).toMatchObject({ exitCode: 0 });
    expectPassed(await lab.goCni.check(twoInterfaces(), container));
    expect(await lab.readdir(`${bin}/.cni-wrappers`)).toEqual(["checksums", "previous"]);
    expect((await lab.run("sha256sum", [`${bin}/cni-wrappers`])).slice(0, 64)).toBe(
      await sumOf(path.join(second.files, "release/cni-wrappers")),
    );
    const { stdout } = await lab.call(cli, ["status", "--json"]);
    expect(JSON.parse(stdout).installations).toMatchObject([
      { state: "intact", madeBy: "install", release: { version }, previous: { version }, links: { missing: [] } },
    ]);
    // The commands go on where the image ended.
    expect(await lab.call(cli, ["install", "--rollback"])).toMatchObject({ exitCode: 0 });
    expect((await lab.run("sha256sum", [`${bin}/cni-wrappers`])).slice(0, 64)).toBe(
      await sumOf(path.join(first.files, "release/cni-wrappers")),
    );
  });
});

/** Unpacks an image as a runtime does: each part by its digest, from the index to the layer. */
async function unpacked(archive: string) {
  const [layout, files] = [scratch(), scratch()];
  await execa("tar", ["-xf", archive, "-C", layout]);
  const read = (file: string) => JSON.parse(readFileSync(path.join(layout, file), "utf8"));
  const blob = async ({ digest, size }: { digest: string; size: number }) => {
    const file = `blobs/${digest.replace(":", "/")}`;
    expect(`sha256:${await sumOf(path.join(layout, file))}`).toBe(digest);
    expect(readFileSync(path.join(layout, file))).toHaveLength(size);
    return file;
  };
  expect(read("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
  const [entry] = read("index.json").manifests;
  expect(entry.platform).toEqual({ architecture, os: "linux" });
  const manifest = read(await blob(entry));
  const config = read(await blob(manifest.config));
  const layer = path.join(layout, await blob(manifest.layers[0]));
  const content = await execa("sh", ["-c", `gzip -dc ${layer} | sha256sum`]);
  expect(config.rootfs.diff_ids).toEqual([`sha256:${content.stdout.slice(0, 64)}`]);
  await execa("tar", ["-xzf", layer, "-C", files]);
  mkdirSync(path.join(files, "host"));
  return { files, entry: config.config.Entrypoint[0] };
}

/** Runs the entry point in a root of its own, with the host's folder in it. */
function start(lab: Lab, { files, entry }: Awaited<ReturnType<typeof unpacked>>) {
  const script = `mkdir -p ${files}/host/opt && mount --rbind /opt ${files}/host/opt && exec chroot ${files} ${entry}`;
  return lab.call("unshare", ["--mount", "sh", "-ec", script]);
}

describe("the system extension", () => {
  test("the same files give the same bytes", () => {
    expect(readFileSync(make(makeSystemExtension)).equals(readFileSync(make(makeSystemExtension)))).toBe(true);
  });

  test("has the wrappers, the texts, and the fields that systemd wants", async () => {
    const { stdout } = await execa("tar", ["-tzf", make(makeSystemExtension)]);
    const names = stdout.split("\n").filter((name) => !name.endsWith("/") && !name.endsWith("-wrapper"));
    expect(names).toEqual([
      "./cni-wrappers/usr/lib/extension-release.d/extension-release.cni-wrappers",
      "./cni-wrappers/usr/libexec/cni/cni-wrappers",
      "./cni-wrappers/usr/share/doc/cni-wrappers/LICENSE",
      "./cni-wrappers/usr/share/doc/cni-wrappers/NOTICE",
      "./cni-wrappers/usr/share/doc/cni-wrappers/README.md",
      "./cni-wrappers/usr/share/doc/cni-wrappers/cni-wrappers.cdx.json",
    ]);
    const archive = make(makeSystemExtension);
    const fields = await execa("tar", ["-xzOf", archive, names[0] as string]);
    const wanted = architecture === "arm64" ? "arm64" : "x86-64";
    expect(fields.stdout.split("\n")).toEqual(["ID=_any", `ARCHITECTURE=${wanted}`]);
  });

  test("systemd merges it, and its wrappers work next to the host's plugins", async () => {
    const archive = make(makeSystemExtension);
    await using lab = await hostWith(smallest);
    // The merge happens in a mount namespace of its own, and propagates.
    await lab.run("mount", ["--make-rshared", "/"]);
    await lab.run("sh", ["-ec", `mkdir /var/lib/extensions; tar -xzf ${archive} -C /var/lib/extensions`]);
    expect(await lab.call("systemd-sysext", ["merge"])).toMatchObject({ exitCode: 0 });
    expect(await lab.run("/usr/libexec/cni/bridge-wrapper")).toContain(`CNI bridge-wrapper plugin v${version}\n`);
    expect((await lab.readdir("/usr/libexec/cni")).filter((name) => name.endsWith("-wrapper"))).toHaveLength(14);
    expect(await lab.call("systemd-sysext", ["unmerge"])).toMatchObject({ exitCode: 0 });
    expect(await lab.readdir("/usr/libexec/cni")).not.toContain("bridge-wrapper");
  });
});
