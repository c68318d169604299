// Usage: node --random-seed=1 build/code-cache.ts <script> <output>
//
// Compiles every function of a script and writes V8's code to <output>. The Node flavor contains this code of its core and its
// commands, and gives it to V8 at the start (shared/host/node/start.ts). Without it, V8 compiles each function on its first call,
// which adds 15% to a CHECK, and a third to `lint`. The seed decides the order of V8's hash tables, and so the output: a fixed
// seed makes the build reproducible.
import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

const [, , file = "", output = ""] = process.argv;
setFlagsFromString("--no-lazy");
const script = new Script(readFileSync(file, "latin1"), { filename: "script" });
// V8 accepts a cache only under the flags that it was written under.
setFlagsFromString("--lazy");
writeFileSync(output, script.createCachedData());
