import { getRawAsset } from "node:sea";
import { Script } from "node:vm";

/**
 * The executable starts here. The core is an asset, and so is the code that V8 made of it in the build (build/code-cache.ts
 * says why). If V8 rejects that code, it compiles the core normally.
 */
const [source, cachedData] = [Buffer.from(getRawAsset("core")), Buffer.from(getRawAsset("core.cache"))];
const core = new Script(source.toString("latin1"), { filename: "core", cachedData });
core.runInThisContext()(require, process);
