import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { outputOf, root } from "../publish.ts";
import { type Package, packagesFor } from "../slim/registry.ts";
import { type Component, textsIn } from "./component.ts";

const slim = join(root, "build/slim");

/** Returns the crates in the slim flavor for a target, and the engine in one of them. Crates of the build are not in it. */
export function crates(target: string): Component[] {
  const linked = linkedCrates(target);
  const packages = packagesFor(slim, target);
  const inside = packages.filter(({ name, version }) => linked.has(`${name} v${version}`));
  return inside.flatMap((each) => [crate(each, packages), ...(each.name === "rquickjs-sys" ? [engine(each)] : [])]);
}

/** cargo's tree has only the crates that the chosen features need. Its metadata has all, with their directories. */
function linkedCrates(target: string): Set<string> {
  const args = ["tree", "--edges", "normal", "--prefix", "none", "--no-dedupe", "--locked", "--target", target];
  const [, ...lines] = outputOf("cargo", args, { cwd: slim }).split("\n");
  return new Set(lines.flatMap((line) => /^\S+ v\S+/.exec(line)?.[0] ?? []));
}

function crate(each: Package, others: readonly Package[]): Component {
  const { name, version, license } = each;
  // The crates of one repository can have their licence in one of them.
  const siblings = others.filter(({ repository }) => repository !== null && repository === each.repository);
  const texts = [each, ...siblings].map((one) => textsIn(dirname(one.manifest_path))).find((found) => found.length > 0);
  return { name, version, purl: `pkg:cargo/${name}@${version}`, licence: license ?? "NOASSERTION", texts: texts ?? [] };
}

function engine({ manifest_path }: Package): Component {
  const directory = join(dirname(manifest_path), "quickjs");
  const header = readFileSync(join(directory, "quickjs.h"), "utf8");
  const numbers = ["MAJOR", "MINOR", "PATCH"].map((part) => new RegExp(`QJS_VERSION_${part} (\\d+)`).exec(header)?.[1]);
  const version = numbers.join(".");
  return {
    name: "quickjs-ng",
    version,
    purl: `pkg:github/quickjs-ng/quickjs@v${version}`,
    licence: "MIT",
    changed: "build/slim/engine.patch is applied",
    texts: textsIn(directory),
  };
}
