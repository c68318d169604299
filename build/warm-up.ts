// Run by code-cache.ts: `warm-up.ts <core> <output>` answers the call that it is given, up to where the plugin would take its
// place, and writes what V8 has compiled until then. `warm-up.ts <core> <output> verify` looks whether V8 takes it.
import childProcess from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Script } from "node:vm";

const [, , core = "", output = "", task] = process.argv;
const source = readFileSync(core, "latin1");

if (task === "verify") {
  const { cachedDataRejected } = new Script(source, { filename: "core", cachedData: readFileSync(output) });
  if (cachedDataRejected) throw new Error("V8 rejects the code cache");
} else {
  const script = new Script(source, { filename: "core" });
  process.execve = () => {
    writeFileSync(output, script.createCachedData());
    process.exit(0);
  };
  childProcess.spawnSync = () => {
    throw new Error("the core spawned the plugin instead of replacing its own process");
  };
  script.runInThisContext()(createRequire(import.meta.url), process);
}
