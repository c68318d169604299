import { join, relative } from "node:path";
import type { Plugin } from "esbuild";

/**
 * What a call does without that only hands over (CHECK, DEL, VERSION). The engine reads a module whole before it runs it: these
 * come in a module of their own, as soon as a call needs one of their functions.
 */
const deferred = [
  "shared/filter.ts",
  "shared/host/ip-command.ts",
  "shared/host/slim/system-names.ts",
  "shared/host/slim/usage.ts",
  "shared/log-line.ts",
  "shared/plan/add.ts",
  "shared/plan/gc.ts",
  "shared/protocol/catalogue.ts",
  "shared/protocol/spelling.ts",
  "shared/remove.ts",
  "shared/recovery.ts",
  "shared/routing.ts",
  "shared/run-delegate.ts",
  "shared/splice-answer.ts",
];

/** The name of the module that they make up. */
export const later = "later";

/**
 * An esbuild plugin that gives whoever imports a deferred module functions that load `later` first; `load` is the expression
 * for that. The entry point `later` is the modules themselves. Only functions can be deferred.
 */
export function deferredModules(root: string, load: string): Plugin {
  return {
    name: "deferred-modules",
    setup(build) {
      const [whole, once, stub] = ["deferred-whole", "deferred-once", "deferred-stub"];
      build.onResolve({ filter: new RegExp(`^${later}$`) }, ({ path, kind }) => {
        return { path, namespace: kind === "entry-point" ? whole : once };
      });
      build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, importer, namespace }) => {
        const imported = relative(root, join(resolveDir, path));
        const isInside = namespace !== "file" || deferred.includes(relative(root, importer));
        return deferred.includes(imported) && !isInside ? { path: imported, namespace: stub } : undefined;
      });
      build.onLoad({ filter: /./, namespace: whole }, () => {
        return { contents: deferred.map(exportAll).join(""), resolveDir: root };
      });
      build.onLoad({ filter: /./, namespace: once }, () => {
        return { contents: `let loaded; export const ${later} = () => (loaded ??= ${load});` };
      });
      build.onLoad({ filter: /./, namespace: stub }, async ({ path }) => {
        return { contents: stubs(await import(join(root, path))), resolveDir: root };
      });
    },
  };
}

function exportAll(path: string): string {
  return `export * from ${JSON.stringify(`./${path}`)};\n`;
}

function stubs(module: object): string {
  const names = Object.entries(module).flatMap(([name, value]) => (isPlainFunction(value) ? name : []));
  const functions = names.map((name) => `export const ${name} = (...given) => ${later}().${name}(...given);\n`);
  return `import { ${later} } from "${later}";\n${functions.join("")}`;
}

function isPlainFunction(value: unknown): boolean {
  return typeof value === "function" && !/^class\b/.test(String(value));
}
