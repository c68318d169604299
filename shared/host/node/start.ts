import { getRawAsset } from "node:sea";
import { Script } from "node:vm";

/**
 * What the executable starts with. The core is beside it, with what V8 had compiled of it when the build ran a CHECK: to
 * compile that anew takes a tenth of a call. Where V8 has no use for it, it compiles the core as ever.
 */
const [source, cachedData] = [Buffer.from(getRawAsset("core")), Buffer.from(getRawAsset("core.cache"))];
const core = new Script(source.toString("latin1"), { filename: "core", cachedData });
core.runInThisContext()(require, process);
