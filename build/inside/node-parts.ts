import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findNode } from "../node-base.ts";
import type { Component } from "./component.ts";

const licences = join(import.meta.dirname, "licences");

/** Returns Node for an architecture, with the libraries in it. Its licence file has the texts of all of them. */
export function nodeBase(arch: string): Component {
  const { version, licence } = findNode(arch);
  // Bundles and their inventory are made by this version of Node.
  if (version !== process.versions.node) throw new Error(`run this with Node ${version}`);
  const libraries = Object.entries(process.versions).filter(([name, value]) => value && !notLibraries.has(name));
  return {
    name: "node",
    version,
    purl: `pkg:generic/node@${version}`,
    licence: "MIT",
    texts: [readFileSync(licence, "utf8")],
    parts: libraries.map(([name, value = ""]) => ({ name, version: value, purl: `pkg:generic/${name}@${value}` })),
  };
}

// Node itself, the versions of two interfaces, and versions of data that are part of icu.
const notLibraries = new Set(["node", "modules", "napi", "cldr", "tz", "unicode"]);

/** Returns what the package jq-wasm contains: jq, its library, and what emscripten links to it. It has no text for them. */
export function jqParts(jqWasm: Component): Component[] {
  const version = /-jq-(.*)$/.exec(jqWasm.version)?.[1];
  if (version !== jqVersion) throw new Error(`build/inside/licences is for jq ${jqVersion}, not for ${version}`);
  return jqComponents.map(({ purl, ...part }) => ({
    ...part,
    purl: `pkg:${purl}${part.version}`,
    texts: [readFileSync(join(licences, `${part.name}.txt`), "utf8")],
  }));
}

const jqVersion = "1.8.2";

// jq's release contains this oniguruma. jq-wasm's Dockerfile names the emscripten, which contains this musl and this compiler-rt.
const jqComponents = [
  { name: "jq", version: jqVersion, purl: "github/jqlang/jq@jq-", licence: "MIT AND ICU AND BSD-2-Clause" },
  { name: "oniguruma", version: "6.9.10", purl: "github/kkos/oniguruma@v", licence: "BSD-2-Clause" },
  { name: "emscripten", version: "6.0.0", purl: "github/emscripten-core/emscripten@", licence: "MIT OR NCSA" },
  { name: "musl", version: "1.2.6", purl: "generic/musl@", licence: "MIT" },
  { name: "compiler-rt", version: "21.1.8", purl: "generic/compiler-rt@", licence: "Apache-2.0 WITH LLVM-exception" },
];
