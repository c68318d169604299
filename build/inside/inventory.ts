import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { root } from "../publish.ts";
import { type Artifact, architectures } from "../release/artifacts.ts";
import { installZig } from "../release/zig.ts";
import { type Component, sorted, withoutText } from "./component.ts";
import { crates } from "./crates.ts";
import { jqParts, nodeBase } from "./node-parts.ts";
import { npmPackages } from "./npm-packages.ts";
import { toolchainParts } from "./toolchain-parts.ts";

/** Returns everything of others in an artifact that has been built here. Fails if a licence text is missing. */
export function inventory({ flavor, architecture }: Artifact): Component[] {
  const { target, node } = architectures[architecture];
  const components = flavor === "slim" ? inSlimFlavor(target) : inNodeExecutable(flavor, node);
  const incomplete = withoutText(components);
  if (incomplete.length > 0) throw new Error(`no licence text for ${incomplete.join(", ")}`);
  return components;
}

function inNodeExecutable(flavor: Artifact["flavor"], arch: string): Component[] {
  const dist = flavor === "conformance" ? `dist/conformance/${arch}` : `dist/${arch}`;
  const packages = npmPackages(root, Object.values(readJson(`${dist}/meta.json`)));
  const jq = packages.filter(({ name }) => name === "jq-wasm").flatMap(jqParts);
  return sorted([nodeBase(arch), ...packages, ...jq]);
}

function inSlimFlavor(target: string): Component[] {
  return sorted([...crates(target), ...toolchainParts(installZig())]);
}

function readJson(file: string): Record<string, Metafile> {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
