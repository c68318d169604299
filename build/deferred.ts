import { join, relative } from "node:path";
import type { Plugin } from "esbuild";

/**
 * The modules that most calls do not need, by the bundle that contains them. An engine reads a whole bundle before it runs
 * it. So a call loads this bundle when it first uses a function in it: zod, which words what is wrong with a value.
 */
const deferred = {
  problem: ["shared/protocol/explain.ts"],
};

/** A bundle of deferred modules. */
export type Deferred = keyof typeof deferred;

/**
 * Returns an esbuild plugin. It replaces each import of a deferred module with functions that load the bundle and call the
 * function of the same name in it. `loaders` has the expression that loads a bundle. Only functions can be deferred.
 */
export function deferModules(root: string, loaders: Readonly<Record<Deferred, string>>): Plugin {
  const bundles = Object.keys(loaders) as Deferred[];
  const bundleOf = (file: string) => bundles.find((bundle) => deferred[bundle].includes(file));
  return {
    name: "defer-modules",
    setup(build) {
      const [loader, stub] = ["deferred-loader", "deferred-stub"];
      build.onResolve({ filter: new RegExp(`^(${bundles.join("|")})$`) }, ({ path }) => ({ path, namespace: loader }));
      build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
        const imported = relative(root, join(resolveDir, path));
        const bundle = bundleOf(imported);
        return bundle ? { path: imported, namespace: stub, pluginData: bundle } : undefined;
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

function stubs(module: object, bundle: Deferred): string {
  const names = Object.entries(module).flatMap(([name, value]) => (isPlainFunction(value) ? name : []));
  const functions = names.map((name) => `export const ${name} = (...given) => load().${name}(...given);\n`);
  return `import { load } from "${bundle}";\n${functions.join("")}`;
}

function isPlainFunction(value: unknown): boolean {
  return typeof value === "function" && !/^class\b/.test(String(value));
}
