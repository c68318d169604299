import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { makeArchive, programFor, run } from "../../../build/release/archive.ts";
import type { Artifact } from "../../../build/release/artifacts.ts";
import { sizesIn } from "../../../build/release/sizes.ts";
import { root, scratch } from "../../support/tree.ts";

const stamp = { version: "1.2.3", commit: "0123456789".repeat(4) };
const time = 1_700_000_000;
const part = { name: "libc", version: "0.1", purl: "pkg:cargo/libc@0.1", licence: "MIT", texts: ["Use it."] };

/** A build of an executable with one link. */
function builtIn(executable: string): string {
  const directory = join(scratch(), "bin");
  mkdirSync(directory);
  writeFileSync(join(directory, executable), "an executable", { mode: 0o755 });
  symlinkSync(executable, join(directory, "bridge-wrapper"));
  return directory;
}

test.each<[Artifact, string, string, string]>([
  [{ flavor: "slim", architecture: "amd64" }, "cni-wrappers", "cni-wrappers-linux-amd64", "x86_64-unknown-linux-musl"],
  [{ flavor: "slim", architecture: "arm64" }, "cni-wrappers", "cni-wrappers-linux-arm64", "aarch64-unknown-linux-musl"],
  [{ flavor: "node", architecture: "amd64" }, "cni-wrappers", "cni-wrappers-tools-linux-amd64", "linux-x64"],
  [{ flavor: "conformance", architecture: "arm64" }, "cni-conformance", "cni-conformance-linux-arm64", "linux-arm64"],
])(
  "the archive of %j has the executable, the licences and a bill of materials",
  (artifact, executable, name, target) => {
    const output = scratch();
    const asked: Artifact[] = [];
    const build = (wanted: Artifact) => {
      asked.push(wanted);
      return builtIn(executable);
    };
    const archive = makeArchive(artifact, stamp, time, output, { build, inventory: () => [part] });
    const file = `${name}-v1.2.3.tgz`;
    expect([archive, asked]).toEqual([join(output, file), [artifact]]);
    // Nothing else is left.
    expect(readdirSync(output).sort()).toEqual(
      [file, ...["cdx.json", "intoto.json", "sha256", "sha512"].map((ending) => `${file}.${ending}`)].sort(),
    );
    expect(sizesIn(output, "1.2.3")).toEqual([
      { name: file, packed: readFileSync(archive).length, unpacked: "an executable".length },
    ]);
    expect(sizesIn(output, "1.2.4")).toEqual([]);

    const content = scratch();
    execaSync("tar", ["-xzf", archive, "-C", content]);
    const read = (entry: string) => readFileSync(join(content, entry), "utf8");
    expect(readdirSync(content).sort()).toEqual(
      ["LICENSE", "NOTICE", "README.md", "bridge-wrapper", "cni-wrappers.cdx.json", executable].sort(),
    );
    for (const same of ["LICENSE", "README.md"]) expect(read(same)).toBe(readFileSync(join(root, same), "utf8"));
    expect(read(executable)).toBe("an executable");
    expect(readlinkSync(join(content, "bridge-wrapper"))).toBe(executable);
    expect(read("NOTICE")).toMatch(new RegExp(`^${name} 1.2.3\n(.*\n)+  libc 0.1: MIT\n(.*\n)+Use it.\n`));
    const bill = JSON.parse(read("cni-wrappers.cdx.json"));
    expect(bill).toMatchObject({
      metadata: {
        timestamp: "2023-11-14T22:13:20.000Z",
        component: {
          name,
          hashes: [{ content: createHash("sha256").update("an executable").digest("hex") }],
          properties: [{ value: stamp.commit }, { value: artifact.flavor }, { value: target }],
        },
      },
      components: [{ name: "libc" }],
    });
    expect(read("cni-wrappers.cdx.json").split("\n")[1]).toBe(`  "$schema": "${bill.$schema}",`);
    expect(read("cni-wrappers.cdx.json")).toBe(readFileSync(`${archive}.cdx.json`, "utf8"));
    const provenance = JSON.parse(readFileSync(`${archive}.intoto.json`, "utf8"));
    expect(provenance.subject).toMatchObject([
      { name: file, digest: { sha256: createHash("sha256").update(readFileSync(archive)).digest("hex") } },
    ]);
  },
);

test("an executable that cannot be built, or whose licences are missing, gives no archive", () => {
  const output = scratch();
  const fails = () => {
    throw new Error("it fails");
  };
  const artifact = { flavor: "slim", architecture: "amd64" } as const;
  const ways = [
    { build: fails, inventory: () => [part] },
    { build: () => builtIn("cni-wrappers"), inventory: fails },
  ];
  for (const way of ways) expect(() => makeArchive(artifact, stamp, time, output, way)).toThrow("it fails");
  expect(readdirSync(output)).toEqual([]);
});

test("a file that is no archive has no size", () => {
  const output = scratch();
  writeFileSync(join(output, "cni-wrappers-linux-amd64-v1.2.3.tgz"), "no archive");
  expect(() => sizesIn(output, "1.2.3")).toThrow(/v1.2.3.tgz: .*not in gzip format/);
});

test.each<[Artifact, string, string]>([
  [
    { flavor: "slim", architecture: "arm64" },
    "build/slim/build.ts --target aarch64-unknown-linux-musl",
    "dist/slim/aarch64-unknown-linux-musl/bin",
  ],
  [{ flavor: "node", architecture: "amd64" }, "build/build.ts --arch x64", "dist/x64/bin"],
  [{ flavor: "conformance", architecture: "arm64" }, "build/conformance.ts --arch arm64", "dist/conformance/arm64/bin"],
])("%j is built by %s", (artifact, command, result) => {
  const { script, args, ...rest } = programFor(artifact);
  expect([[script, ...args].join(" "), rest]).toEqual([command, { result }]);
});

test("a program of the build runs in its sources, and one that fails gives no result", () => {
  const sources = scratch();
  const seen = "JSON.stringify([process.argv.slice(2), process.cwd(), process.env.PATH])";
  writeFileSync(join(sources, "good.mjs"), `import { writeFileSync } from "node:fs"; writeFileSync("seen", ${seen});`);
  writeFileSync(join(sources, "bad.mjs"), 'console.error("build: error: no build: here"); process.exit(2);');
  const program = { script: "good.mjs", args: ["--arch", "x64"], result: "dist/bin" };
  expect(run(program, ["/tools"], sources)).toBe(join(sources, "dist/bin"));
  const path = ["/tools", process.env.PATH].join(delimiter);
  expect(JSON.parse(readFileSync(join(sources, "seen"), "utf8"))).toEqual([program.args, sources, path]);
  expect(() => run({ ...program, script: "bad.mjs" }, [], sources)).toThrow(/^error: no build: here$/);
});
