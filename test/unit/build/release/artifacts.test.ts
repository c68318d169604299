import { expect, test } from "vitest";
import { archiveName, chooseArtifacts, parseArchiveName } from "../../../../build/release/artifacts.ts";

test.each([
  ["slim", "amd64", "cni-wrappers-linux-amd64-v1.2.3.tgz"],
  ["slim", "arm64", "cni-wrappers-linux-arm64-v1.2.3.tgz"],
  ["node", "amd64", "cni-wrappers-tools-linux-amd64-v1.2.3.tgz"],
  ["conformance", "amd64", "cni-conformance-linux-amd64-v1.2.3.tgz"],
] as const)("the archive of %s for %s has the form of the reference plugins' names", (flavor, architecture, name) => {
  expect(archiveName({ flavor, architecture }, "1.2.3")).toBe(name);
  expect(parseArchiveName(name)).toEqual({ flavor, architecture, version: "1.2.3" });
});

test.each([
  "cni-plugins-linux-amd64-v1.9.1.tgz",
  "cni-wrappers-linux-pdp11-v1.2.3.tgz",
  "cni-wrappers-linux-amd64-v1.2.3.tgz.sha256",
  "2cni-wrappers-linux-amd64-v1.2.3.tgz",
])("%s is no archive of ours", (name) => {
  expect(parseArchiveName(name)).toBeUndefined();
});

test("without lists, it is every flavor for every architecture", () => {
  const names = chooseArtifacts().map((artifact) => archiveName(artifact, "1"));
  expect(names).toEqual([
    "cni-wrappers-linux-amd64-v1.tgz",
    "cni-wrappers-linux-arm64-v1.tgz",
    "cni-wrappers-tools-linux-amd64-v1.tgz",
    "cni-wrappers-tools-linux-arm64-v1.tgz",
    "cni-conformance-linux-amd64-v1.tgz",
    "cni-conformance-linux-arm64-v1.tgz",
  ]);
});

test("the kernel's names of architectures are known too", () => {
  expect(chooseArtifacts("slim", "aarch64,x86_64")).toEqual([
    { flavor: "slim", architecture: "arm64" },
    { flavor: "slim", architecture: "amd64" },
  ]);
});

test.each([
  [undefined, "pdp11", "unknown architecture pdp11: use amd64 or arm64"],
  ["bun,deno", undefined, "unknown flavor bun: use slim or node or conformance"],
])("an unknown name is an error: %s, %s", (flavor, architecture, message) => {
  expect(() => chooseArtifacts(flavor, architecture)).toThrow(message);
});
