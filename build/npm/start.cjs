#!/usr/bin/env node
// An older Node may not even parse the commands, so this file uses only what each Node knows.
if (Number(process.versions.node.split(".")[0]) < 22) {
  process.stderr.write(`cni-wrappers: Node 22 or newer is needed, and this is ${process.version}\n`);
  process.exitCode = 2;
} else {
  require("./commands.cjs");
}
