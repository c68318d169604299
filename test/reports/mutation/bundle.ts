import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";

export const root = join(import.meta.dirname, "../../..");

/** A test file and all our modules that it imports, as one script. `require` loads the rest. */
export interface Bundle {
  readonly test: string;
  readonly script: string;
  /** The modules that the script requires: packages, and files that are equal for every mutant. */
  readonly required: readonly string[];
}

/** Bundles a test file (relative to the repository's root). Some sources are replaced by their instrumented text. */
export async function bundleOf(
  test: string,
  sources: ReadonlyMap<string, string>,
  once: readonly string[],
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, test)],
    ...{ bundle: true, write: false, metafile: true, format: "cjs", platform: "node", packages: "external" },
    ...{ target: "esnext", keepNames: false, logLevel: "error", absWorkingDir: root, plugins: [ours(sources, once)] },
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return { test, script: outputFiles[0]?.text ?? "", required: [...new Set(imported)] };
}

function ours(sources: ReadonlyMap<string, string>, once: readonly string[]): Plugin {
  return {
    name: "ours",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        return once.includes(relative(root, file)) ? { path: file, external: true } : undefined;
      });
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = sources.get(path) ?? (await readFile(path, "utf8"));
        return { contents: withPlace(text, path), loader: "ts" };
      });
    },
  };
}

// A script has no import.meta.
function withPlace(text: string, path: string): string {
  const url = JSON.stringify(`file://${path}`);
  return text.replaceAll("import.meta.dirname", JSON.stringify(dirname(path))).replaceAll("import.meta.url", url);
}
