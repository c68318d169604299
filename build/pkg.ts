// Usage: TMPDIR=<directory of the script> HOME=<directory with pkg's cache> node build/pkg.ts <options as JSON>
//
// Runs pkg. Its command line and its configuration have no place for a seaConfig, so this imports the function behind them.
import { chmodSync } from "node:fs";
import { basename, join } from "node:path";
import pkg from "@yao-pkg/pkg/lib-es5/sea.js";

const [, , options = ""] = process.argv;
const { script, output, assets, nodeRange, arch } = JSON.parse(options);

/** Node's SEA configuration. pkg's own type lacks some of its keys. */
const seaConfig = {
  // The executable contains this path. pkg works in a new subdirectory of TMPDIR, so a relative path is the same in every
  // build.
  main: join("..", basename(script)),
  assets,
  // A runtime's NODE_OPTIONS must not reach a plugin that runs as root.
  execArgvExtension: "none",
  disableExperimentalSEAWarning: true,
  // It would contain only the few functions that V8 compiles before anything runs. code-cache.ts makes a better one.
  useCodeCache: false,
  useSnapshot: false,
};

const targets = [{ nodeRange, platform: "linux" as const, arch, output }];
await pkg.default(script, { targets, signature: false, seaConfig });
chmodSync(output, 0o755);
