import { basename, join } from "node:path";
import { lockedNode } from "../node-base.ts";
import { readProject } from "../project.ts";
import { outputOf, root } from "../publish.ts";
import type { Stamp } from "../stamp.ts";
import { type Artifact, architectures } from "./artifacts.ts";
import { checksum } from "./pack.ts";

/**
 * Returns an in-toto statement with SLSA's provenance: who made an archive from which sources. A build server gives its name
 * in RELEASE_BUILDER_ID and the repository's address in RELEASE_REPOSITORY.
 */
export function provenance(artifact: Artifact, archive: string, { commit }: Stamp, env = process.env): object {
  const digest = { sha256: checksum(archive, "sha256"), sha512: checksum(archive, "sha512") };
  const project = readProject().repository;
  const repository = env.RELEASE_REPOSITORY || project;
  const source = { uri: `git+${repository}`, digest: { gitCommit: commit } };
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: basename(archive), digest }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${project}/build/release/v1`,
        externalParameters: { source, flavor: artifact.flavor, architecture: artifact.architecture },
        resolvedDependencies: [source, ...lockFiles(), ...tools(artifact)],
      },
      runDetails: { builder: { id: env.RELEASE_BUILDER_ID || `${project}/builders/by-hand` } },
    },
  };
}

/** The lock files name every package of the build with its checksum. */
function lockFiles(): object[] {
  const files = ["package-lock.json", "build/slim/Cargo.lock", "build/release/zig-requirements.txt"];
  return files.map((file) => ({ name: file, digest: { sha256: checksum(join(root, file), "sha256") } }));
}

function tools({ flavor, architecture }: Artifact): object[] {
  if (flavor === "slim") return [{ name: "rustc", annotations: { version: outputOf("rustc", ["-vV"]).trim() } }];
  const { node } = architectures[architecture];
  const { version, integrity } = lockedNode(node);
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return [{ uri: `pkg:npm/node-linux-${node}@${version}`, digest: { sha512 } }];
}
