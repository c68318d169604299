import { createHash } from "node:crypto";
import type { Stamp } from "../stamp.ts";
import type { Component } from "./component.ts";

/** What a bill of materials says about an archive. */
export interface Subject {
  /** The archive's name without its version: `cni-wrappers-linux-amd64`. */
  readonly name: string;
  readonly flavor: string;
  readonly target: string;
  readonly stamp: Stamp;
  /** The time of the release in seconds, and the SHA-256 of the executable. */
  readonly epoch: number;
  readonly sha256: string;
}

/** Returns the bill of materials in CycloneDX 1.6. The same contents give the same document. */
export function sbom(subject: Subject, components: readonly Component[]): object {
  const { name, flavor, target, stamp, epoch, sha256 } = subject;
  const main = `pkg:generic/${name}@${stamp.version}`;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([subject, components.map(({ purl }) => purl)]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": main,
        name,
        version: stamp.version,
        purl: main,
        hashes: [{ alg: "SHA-256", content: sha256 }],
        licenses: [{ expression: "Apache-2.0" }],
        properties: Object.entries({ commit: stamp.commit, flavor, target }).map(([key, value]) => ({
          name: `cni-wrappers:${key}`,
          value,
        })),
      },
    },
    components: components.map(library),
    dependencies: [{ ref: main, dependsOn: components.map(({ purl }) => purl) }],
  };
}

function library({ name, version, purl, licence, changed, parts = [] }: Component): object {
  const inside = parts.map((part) => ({ type: "library", "bom-ref": `${purl}#${part.name}`, ...part }));
  const licences = { licenses: [{ expression: licence }] };
  const nested = inside.length > 0 ? { components: inside } : {};
  const pedigree = changed === undefined ? {} : { pedigree: { notes: changed } };
  return { type: "library", "bom-ref": purl, name, version, purl, ...licences, ...pedigree, ...nested };
}

/** Returns a UUID that depends only on the text (version 8 of RFC 9562). */
function uuidOf(text: string): string {
  const digits = createHash("sha256").update(text).digest("hex");
  const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) % 4);
  const fields = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, variant + digits.slice(17, 20)];
  return [...fields, digits.slice(20, 32)].join("-");
}
