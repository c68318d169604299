import { getAsset, getRawAsset } from "node:sea";
import { Script } from "node:vm";

/**
 * The executable starts here. A runtime's call of a wrapper has CNI_COMMAND, or no arguments: it runs the core. A person's call has
 * arguments: it runs the commands.
 *
 * The core is an asset, and so is the code that V8 made of it in the build (build/code-cache.ts says why). If V8 rejects that
 * code, it compiles the core normally.
 */
function scriptOf(asset: "cli" | "core"): Script {
  if (asset === "cli") return new Script(getAsset("cli", "utf8"), { filename: "cli" });
  const [source, cachedData] = [Buffer.from(getRawAsset("core")), Buffer.from(getRawAsset("core.cache"))];
  return new Script(source.toString("latin1"), { filename: "core", cachedData });
}

const isCommand = process.argv.length > 2 && !(process.env.CNI_COMMAND && process.argv0.endsWith("-wrapper"));
scriptOf(isCommand ? "cli" : "core").runInThisContext()(require, process);
