import { join, relative } from "node:path";
import type { Plugin } from "esbuild";

/**
 * The modules that most calls do not need, by the bundle that contains them. An engine reads a whole bundle before it runs
 * it. So a call loads one of these bundles when it first uses a function in it. Both flavors load `problem` (with zod) for a
 * wrong value. The slim flavor loads `later` for ADD and DEL, `rare` for an error, a log and other rare needs, and `large` for
 * a large configuration.
 */
const deferred = {
  problem: ["shared/protocol/explain.ts"],
  later: [
    "shared/act/add-meta.ts",
    "shared/act/record-search.ts",
    "shared/act/recover.ts",
    "shared/act/remove.ts",
    "shared/act/run-delegate.ts",
    "shared/act/run-and-splice.ts",
    "shared/attachment/addresses.ts",
    "shared/attachment/shared-address.ts",
    "shared/plan/add.ts",
    "shared/plan/del.ts",
    "shared/plan/foreign.ts",
    "shared/plan/leased-network.ts",
    "shared/host/slim/spawn.ts",
    "shared/plan/listed.ts",
    "shared/plan/recorded-target.ts",
    "shared/plan/taken-addresses.ts",
    "shared/plan/unrecorded.ts",
  ],
  rare: [
    "shared/about.ts",
    "shared/act/drop-in.ts",
    "shared/act/filter.ts",
    "shared/act/log-line.ts",
    "shared/act/missing-delegate.ts",
    "shared/act/moved-routes.ts",
    "shared/host/ip-command.ts",
    "shared/host/slim/system-names.ts",
    "shared/host/slim/usage.ts",
    "shared/plan/gc.ts",
    "shared/plan/misplaced.ts",
    "shared/plan/ports.ts",
    "shared/protocol/catalogue.ts",
    "shared/protocol/options.ts",
    "shared/protocol/spelling.ts",
  ],
  large: ["shared/protocol/unread.ts"],
};

/** A bundle of deferred modules. */
export type Deferred = keyof typeof deferred;

/**
 * Returns an esbuild plugin. It replaces each import of a deferred module with functions that load the bundle and call the
 * function of the same name in it. `loaders` has the expression that loads a bundle; a bundle without one is not deferred. A
 * bundle's name as an entry point exports everything from its modules. `main` is the script of every call. Only functions
 * can be deferred.
 */
export function deferModules(root: string, main: string, loaders: Partial<Record<Deferred, string>>): Plugin {
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
        // Every entry point imports the main script, so esbuild puts all that it needs into one common part, `shared`.
        const contents = [`import "./${main}";\n`, ...deferred[path as Deferred].map(exportAll)].join("");
        return { contents, resolveDir: root };
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
