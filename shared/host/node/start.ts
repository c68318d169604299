import { getRawAsset } from "node:sea";
import { Script } from "node:vm";

/**
 * The executable starts here. A runtime's call of a wrapper has CNI_COMMAND, or no arguments: it runs the core. A person's call has
 * arguments: it runs the commands.
 *
 * Both are assets, and so is the code that V8 made of each in the build (build/code-cache.ts says why). If V8 rejects that code,
 * it compiles the script normally.
 */
function scriptOf(asset: "cli" | "core"): Script {
  const [source, cachedData] = [Buffer.from(getRawAsset(asset)), Buffer.from(getRawAsset(`${asset}.cache`))];
  return new Script(source.toString("latin1"), { filename: asset, cachedData });
}

const isCommand = process.argv.length > 2 && !(process.env.CNI_COMMAND && process.argv0.endsWith("-wrapper"));
scriptOf(isCommand ? "cli" : "core").runInThisContext()(require, process);
