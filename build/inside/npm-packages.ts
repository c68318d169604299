import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { type Component, textsIn } from "./component.ts";

/** Returns the npm packages with bytes in these bundles. `root` is the directory that the bundles' paths start from. */
export function npmPackages(root: string, metafiles: readonly Metafile[]): Component[] {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const files = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  const directories = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(directories)].map((directory) => npmPackage(resolve(root, directory)));
}

function npmPackage(directory: string): Component {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { name, version, purl, licence: license, texts: textsIn(directory) };
}
