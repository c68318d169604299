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

/** Returns jq and its library for regular expressions, which the package jq-wasm contains. It has no text for them. */
export function jqParts(jqWasm: Component): Component[] {
  const version = /-jq-(.*)$/.exec(jqWasm.version)?.[1];
  if (version !== jqVersion) throw new Error(`build/inside/licences is for jq ${jqVersion}, not for ${version}`);
  return [
    {
      name: "jq",
      version,
      purl: `pkg:github/jqlang/jq@jq-${version}`,
      licence: "MIT AND ICU AND BSD-2-Clause",
      texts: [readFileSync(join(licences, "jq.txt"), "utf8")],
    },
    {
      name: "oniguruma",
      version: onigurumaVersion,
      purl: `pkg:github/kkos/oniguruma@v${onigurumaVersion}`,
      licence: "BSD-2-Clause",
      texts: [readFileSync(join(licences, "oniguruma.txt"), "utf8")],
    },
  ];
}

// jq's release contains this version of oniguruma.
const [jqVersion, onigurumaVersion] = ["1.8.2", "6.9.10"];
