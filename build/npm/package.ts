import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the npm package of the commands into a new directory. `commands` is the function of `require` and `process`, and
 * `page` what `explain --html` writes.
 */
export function writeNpmPackage(root: string, directory: string, commands: Uint8Array, page: string): void {
  mkdirSync(directory);
  const at = (name: string) => join(directory, name);
  writeFileSync(
    at("commands.cjs"),
    `${Buffer.from(commands).toString("utf8").trimEnd().replace(/;$/, "")}(require, process);\n`,
  );
  writeFileSync(at("page.html"), page);
  copyFileSync(join(root, "build/npm/start.cjs"), at("cni-wrappers.cjs"));
  chmodSync(at("cni-wrappers.cjs"), 0o755);
  copyFileSync(join(root, "build/npm/README.md"), at("README.md"));
  copyFileSync(join(root, "LICENSE"), at("LICENSE"));
  writeFileSync(at("package.json"), `${JSON.stringify(manifest(root), null, 2)}\n`);
}

/** The package depends on no other: the commands are one file. */
function manifest(root: string): object {
  const { name, version, license, author, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    ...{ name, version, license, author, repository },
    description:
      "Commands for network configuration lists (CNI) with several interfaces: lint, explain, schema and others",
    keywords: ["cni", "containers", "lint", "network", "nomad", "podman"],
    type: "commonjs",
    bin: { [name]: "cni-wrappers.cjs" },
    engines: { node: ">=22" },
  };
}
