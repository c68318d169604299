import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { profiles } from "../plugins/index.ts";
import { bundle } from "./bundle.ts";
import { makeExecutable } from "./executable.ts";
import { readStamp } from "./stamp.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const executable = "cni-wrappers";

/** Builds `dist/bin`, a folder that goes to a host's CNI path as it is: one executable and a relative link per plugin. */
async function build(): Promise<void> {
  const started = performance.now();
  const stamp = readStamp(root);
  const stage = makeStage();
  const script = join(stage, `${executable}.cjs`);
  const bin = join(stage, "bin");

  const bundled = await bundle(root, "shared/host/node/main.ts", stamp);
  writeFileSync(script, bundled.script);
  writeFileSync(join(stage, "meta.json"), JSON.stringify(bundled.metafile, null, 2));
  mkdirSync(bin);
  const jq = join(stage, "jq.cjs");
  writeFileSync(jq, (await bundle(root, "shared/host/node/jq-thread.ts", stamp)).script);
  await makeExecutable(script, join(bin, executable), { jq });
  const links = Object.keys(profiles).map((plugin) => `${plugin}-wrapper`);
  for (const link of links) symlinkSync(executable, join(bin, link));
  publish(stage, [executable, ...links]);

  const megabytes = (statSync(join(dist, "bin", executable)).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`dist/bin: ${executable} ${stamp.version}, ${stamp.commit}, ${megabytes} MB, ${seconds} s`);
  console.log(`dist/bin: ${links.join(", ")} -> ${executable}`);
}

/** Makes a directory beside what will be replaced (a rename needs the same file system), gone when the build ends. */
function makeStage(): string {
  mkdirSync(dist, { recursive: true });
  const stage = mkdtempSync(join(dist, ".build-"));
  process.on("exit", () => rmSync(stage, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  return stage;
}

/** Renames what was built over the earlier build, file by file: at no moment is there none. */
function publish(stage: string, names: string[]): void {
  const bin = join(dist, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of names) renameSync(join(stage, "bin", name), join(bin, name));
  for (const name of readdirSync(bin)) {
    if (!names.includes(name)) rmSync(join(bin, name), { recursive: true });
  }
  renameSync(join(stage, "meta.json"), join(dist, "meta.json"));
}

try {
  await build();
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
