import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Build, built } from "../../build/go-build.ts";

/** The versions of the reference plugins that can be built: the folders in `test/support/plugins/`. */
export type PluginVersion = "1.10.0" | "1.9.1" | "1.6.2" | "1.3.0" | "1.2.0";

/** The versions for every end-to-end case. Older ones are for single cases and the matrix. */
export const pluginVersions = ["1.10.0", "1.6.2"] as const satisfies PluginVersion[];

/** The newest version, for what needs only one. */
export const [newestPlugins] = pluginVersions;

const testDirectory = path.resolve(import.meta.dirname, "..");

/** Returns the directory with the reference plugins of this version. Go builds them if they are missing. */
export async function referencePlugins(version: PluginVersion = newestPlugins): Promise<string> {
  const module = path.join(testDirectory, "support", "plugins", version);
  return built({
    title: `reference plugins ${version}`,
    module,
    // Not every version has every plugin. The module pins the plugins that exist.
    packages: importsOf(await readFile(path.join(module, "tools.go"), "utf8")),
    // Without it they report no version, and Nomad runs no CHECK without a version.
    ldflags: `-X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=v${version}`,
  });
}

function importsOf(source: string): string[] {
  return [...source.matchAll(/^\t_ "(.*)"$/gm)].map(([, name = ""]) => name);
}

/** Returns the directory of the programs that call plugins as runtimes do, or replace a program in a test. */
export function drivers(): Promise<string> {
  return built({
    title: "test drivers",
    module: path.join(testDirectory, "support", "drivers"),
    packages: [
      "./consul-cni",
      "./echo",
      "./forge",
      "./forward",
      "./gocni",
      "./recorder",
      "github.com/containernetworking/cni/cnitool",
    ],
    ldflags: "",
  });
}

/** Returns a program that starts another one with a variable that has a second value. */
export function again(): Promise<string> {
  return program("a driver", "support/drivers", "./again");
}

/** Returns the paths of the programs that the benchmark measures with. Each source describes its program. */
export async function benchPrograms(): Promise<Record<"stopwatch" | "footprint" | "recorder", string>> {
  const directory = await built({
    title: "programs of the benchmark",
    module: path.join(testDirectory, "support", "drivers"),
    packages: ["./stopwatch", "./footprint", "./recorder"],
    ldflags: "-s -w",
  });
  return {
    stopwatch: path.join(directory, "stopwatch"),
    footprint: path.join(directory, "footprint"),
    recorder: path.join(directory, "recorder"),
  };
}

/** Returns flannel's plugin, which runs bridge with a configuration of its own. Its newest releases are no module of the proxy. */
export function flannel(): Promise<string> {
  const name = "github.com/containernetworking/plugins/plugins/meta/flannel";
  return program("flannel's plugin", "support/flannel/0.9.1", name);
}

/** Returns multus, which passes a list's calls to its own delegates. */
export function multus(): Promise<string> {
  const name = "gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus";
  return program("multus (about two minutes)", "reports/compare/multus", name);
}

/** Returns the path of actionlint, which checks workflows. */
export function actionlint(): Promise<string> {
  return program("actionlint", "support/actionlint", "github.com/rhysd/actionlint/cmd/actionlint");
}

/** Returns the path of promtool, which checks and tests the alert rules. */
export function promtool(): Promise<string> {
  const name = "github.com/prometheus/prometheus/cmd/promtool";
  // The libraries of every cloud would take most of the time.
  return program("promtool (about three minutes)", "support/promtool", name, { tags: "remove_all_sd" });
}

/** Builds one program of a module below `test/`. Returns its path. */
async function program(
  title: string,
  module: string,
  name: string,
  options: Pick<Build, "tags"> = {},
): Promise<string> {
  const directory = await built({
    title,
    module: path.join(testDirectory, module),
    packages: [name],
    ldflags: "-s -w",
    ...options,
  });
  return path.join(directory, path.basename(name));
}

/** Builds everything that the end-to-end tests need, one by one: Go already uses every core. */
async function buildAll(): Promise<void> {
  await drivers();
  for (const version of pluginVersions) await referencePlugins(version);
  await flannel();
}

// Without `await` at the top, so that mutation testing can bundle the tests that import this file.
if (import.meta.main) void buildAll();
