// Usage: node --random-seed=1 build/code-cache.ts <core> <output>
//
// Compiles the core as the Node flavor's start does (shared/host/node/start.ts), but every function of it, and writes V8's code
// to <output>. The executable carries it: without it, V8 compiles each function when a CHECK first calls it, which costs a
// tenth of the call. The seed is V8's for its hash tables, whose order is in the output: the same core gives the same bytes.
import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

const [, , core = "", output = ""] = process.argv;
setFlagsFromString("--no-lazy");
const script = new Script(readFileSync(core, "latin1"), { filename: "core" });
// V8 rejects a cache that was written with other flags than it reads it with.
setFlagsFromString("--lazy");
writeFileSync(output, script.createCachedData());
