// Usage: node --random-seed=1 build/code-cache.ts <core> <output>
//
// Compiles every function of the core and writes V8's code to <output>. The Node flavor contains this code and gives it to V8
// at the start (shared/host/node/start.ts). Without it, V8 compiles each function on its first call, which adds 15% to a
// CHECK. The seed decides the order of V8's hash tables, and so the output: a fixed seed makes the build reproducible.
import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

const [, , core = "", output = ""] = process.argv;
setFlagsFromString("--no-lazy");
const script = new Script(readFileSync(core, "latin1"), { filename: "core" });
// V8 accepts a cache only under the flags that it was written under.
setFlagsFromString("--lazy");
writeFileSync(output, script.createCachedData());
