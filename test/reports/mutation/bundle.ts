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
  /** The files in the script, relative to the repository's root. */
  readonly files: readonly string[];
}

/** Bundles test files (relative to the repository's root). Some sources are replaced by their instrumented text. */
export async function bundlesOf(
  tests: readonly string[],
  sources: ReadonlyMap<string, string>,
  once: readonly string[] = [],
): Promise<Bundle[]> {
  if (tests.length === 0) return [];
  const { outputFiles, metafile } = await build({
    entryPoints: tests.map((test) => join(root, test)),
    ...{ bundle: true, write: false, metafile: true, format: "cjs", platform: "node", packages: "external" },
    ...{ target: "esnext", keepNames: false, logLevel: "error", absWorkingDir: root, plugins: [ours(sources, once)] },
    ...{ outdir: join(root, "dist"), outbase: root },
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [relative(root, path), text]));
  return Object.entries(metafile.outputs).flatMap(([output, { entryPoint, imports, inputs }]) => {
    const required = [...new Set(imports.map(({ path }) => path))];
    const script = scripts.get(output) ?? "";
    return entryPoint ? { test: entryPoint, script, required, files: Object.keys(inputs) } : [];
  });
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
