// Starts the plugins that preflight would start, with the same input and as many at once, and does nothing else.
// Its arguments are the file of the calls and how many run at once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

const [calls = "", atOnce = ""] = process.argv.slice(2);
const lines = readFileSync(calls, "utf8").trimEnd().split("\n");
const pairs = Map.groupBy(lines, (_, index) => index >> 1).values();

async function work(): Promise<void> {
  for (const [plugin = "", input = ""] of pairs) {
    const child = spawn(plugin, { stdio: "pipe" });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.end(readFileSync(input));
    await once(child, "close");
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, work));
