import { join, relative } from "node:path";
import type { Plugin } from "esbuild";

/**
 * The modules that most calls do not need, by the bundle that contains them. An engine reads a whole bundle before it runs it,
 * so these bundles are loaded when a call first uses one of their functions. Both flavors load `problem` (with zod) for a wrong
 * value. The slim flavor loads `later` for a call that does more than hand over to the plugin.
 */
const deferred = {
  problem: ["shared/protocol/explain.ts"],
  later: [
    "shared/act/filter.ts",
    "shared/host/ip-command.ts",
    "shared/host/slim/system-names.ts",
    "shared/host/slim/usage.ts",
    "shared/act/log-line.ts",
    "shared/plan/add.ts",
    "shared/plan/gc.ts",
    "shared/plan/misplaced.ts",
    "shared/protocol/catalogue.ts",
    "shared/protocol/spelling.ts",
    "shared/act/remove.ts",
    "shared/act/recover.ts",
    "shared/act/moved-routes.ts",
    "shared/act/run-delegate.ts",
    "shared/act/splice-answer.ts",
  ],
};

/** A bundle of deferred modules. */
export type Deferred = keyof typeof deferred;

/**
 * An esbuild plugin that replaces each import of a deferred module by functions that load its bundle and call the function of
 * the same name there. `loaders` has the expression that loads a bundle; a bundle without one is not deferred. The entry point
 * `later` exports everything from its modules. Only functions can be deferred.
 */
export function deferModules(root: string, loaders: Partial<Record<Deferred, string>>): Plugin {
  const bundles = Object.keys(loaders) as Deferred[];
  const bundleOf = (file: string) => bundles.find((bundle) => deferred[bundle].includes(file));
  return {
    name: "defer-modules",
    setup(build) {
      const [whole, loader, stub] = ["deferred-whole", "deferred-loader", "deferred-stub"];
      build.onResolve({ filter: new RegExp(`^(${bundles.join("|")})$`) }, ({ path, kind }) => {
        return { path, namespace: kind === "entry-point" ? whole : loader };
      });
      build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, importer, namespace }) => {
        const imported = relative(root, join(resolveDir, path));
        const bundle = bundleOf(imported);
        const isInside = namespace === whole || bundle === bundleOf(relative(root, importer));
        return bundle && !isInside ? { path: imported, namespace: stub, pluginData: bundle } : undefined;
      });
      build.onLoad({ filter: /./, namespace: whole }, ({ path }) => {
        return { contents: deferred[path as Deferred].map(exportAll).join(""), resolveDir: root };
      });
      build.onLoad({ filter: /./, namespace: loader }, ({ path }) => {
        return { contents: `let loaded; export const load = () => (loaded ??= ${loaders[path as Deferred]});` };
      });
      build.onLoad({ filter: /./, namespace: stub }, async ({ path, pluginData }) => {
        return { contents: stubs(await import(join(root, path)), pluginData), resolveDir: root };
      });
    },
  };
}

function exportAll(path: string): string {
  return `export * from ${JSON.stringify(`./${path}`)};\n`;
}

function stubs(module: object, bundle: Deferred): string {
  const names = Object.entries(module).flatMap(([name, value]) => (isPlainFunction(value) ? name : []));
  const functions = names.map((name) => `export const ${name} = (...given) => load().${name}(...given);\n`);
  return `import { load } from "${bundle}";\n${functions.join("")}`;
}

function isPlainFunction(value: unknown): boolean {
  return typeof value === "function" && !/^class\b/.test(String(value));
}
