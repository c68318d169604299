// Usage: node --random-seed=1 build/code-cache.ts <core> <output>
//
// Compiles every function of the core and writes V8's code to <output>, which the Node flavor carries and gives to V8 when it
// starts (shared/host/node/start.ts). Without it, V8 compiles each function when a CHECK first calls it, which adds 15% to the
// call. The seed decides the order of V8's hash tables, which shows in the output: a fixed seed makes the build reproducible.
import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

const [, , core = "", output = ""] = process.argv;
setFlagsFromString("--no-lazy");
const script = new Script(readFileSync(core, "latin1"), { filename: "core" });
// V8 rejects a cache that was written under other flags than it is read under.
setFlagsFromString("--lazy");
writeFileSync(output, script.createCachedData());
