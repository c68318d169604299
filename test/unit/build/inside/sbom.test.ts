import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getLanguageService, type JSONSchema, TextDocument } from "vscode-json-languageservice";
import type { Component } from "../../../../build/inside/component.ts";
import { type Subject, sbom } from "../../../../build/inside/sbom.ts";

const subject: Subject = {
  name: "cni-wrappers-linux-amd64",
  flavor: "slim",
  target: "x86_64-unknown-linux-musl",
  stamp: { version: "1.2.3", commit: "0123456789012345678901234567890123456789" },
  epoch: 1_700_000_000,
  sha256: "a".repeat(64),
};

const components: Component[] = [
  { name: "zod", version: "4.6.7", purl: "pkg:npm/zod@4.6.7", licence: "MIT", texts: ["text"] },
  {
    ...{ name: "node", version: "24.21.0", purl: "pkg:generic/node@24.21.0", licence: "MIT", texts: ["text"] },
    changed: "a patch is applied",
    parts: [{ name: "openssl", version: "3.5.8", purl: "pkg:generic/openssl@3.5.8" }],
  },
];

const file = join(import.meta.dirname, "../../../fixtures/cyclonedx/bom-1.6.schema.json");
const schema: JSONSchema = JSON.parse(readFileSync(file, "utf8"));
const validator = getLanguageService({});
validator.configure({ schemas: [{ uri: "http://cyclonedx.org/schema/bom-1.6.schema.json", schema }] });

async function problemsOf(bill: object): Promise<string[]> {
  const document = TextDocument.create("file:///a.cdx.json", "json", 1, JSON.stringify(bill));
  const parsed = validator.parseJSONDocument(document);
  const found = await validator.doValidation(document, parsed, { schemaValidation: "error" });
  return found.map(({ message }) => String(message));
}

test("the schema of CycloneDX accepts it, and sees a wrong one", async () => {
  expect(await problemsOf(sbom(subject, components))).toEqual([]);
  expect(await problemsOf({ ...sbom(subject, components), serialNumber: "1" })).toHaveLength(1);
  const [first = {}] = (sbom(subject, components) as { components: object[] }).components;
  expect(await problemsOf({ ...sbom(subject, components), components: [{ ...first, type: "thing" }] })).not.toEqual([]);
});

test("it names the executable, the commit, and everything inside", () => {
  expect(sbom(subject, components)).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: {
      timestamp: "2023-11-14T22:13:20.000Z",
      component: {
        name: "cni-wrappers-linux-amd64",
        version: "1.2.3",
        hashes: [{ alg: "SHA-256", content: "a".repeat(64) }],
        properties: [
          { name: "cni-wrappers:commit", value: "0123456789012345678901234567890123456789" },
          { name: "cni-wrappers:flavor", value: "slim" },
          { name: "cni-wrappers:target", value: "x86_64-unknown-linux-musl" },
        ],
      },
    },
    components: [
      { name: "zod", version: "4.6.7", purl: "pkg:npm/zod@4.6.7" },
      {
        ...{ name: "node", pedigree: { notes: "a patch is applied" } },
        components: [{ name: "openssl", version: "3.5.8" }],
      },
    ],
    dependencies: [{ dependsOn: ["pkg:npm/zod@4.6.7", "pkg:generic/node@24.21.0"] }],
  });
});

test("the serial number changes with the contents, and only then", () => {
  const serial = (...given: Parameters<typeof sbom>) => (sbom(...given) as { serialNumber: string }).serialNumber;
  expect(serial(subject, components)).toBe(serial({ ...subject }, [...components]));
  const [first, ...rest] = components as [Component, ...Component[]];
  const others = [
    serial({ ...subject, sha256: "b".repeat(64) }, components),
    serial(subject, rest),
    serial(subject, [{ ...first, purl: "pkg:npm/zod@4.6.8" }, ...rest]),
  ];
  expect(new Set([serial(subject, components), ...others]).size).toBe(4);
});
