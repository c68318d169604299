import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const directory = join(import.meta.dirname, "../../../reports/mutation");

// It replaces functions of Node, so it runs in a process of its own.
const program = `
  import { execFileSync } from "node:child_process";
  import fs, { existsSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  import { watchReads } from ${JSON.stringify(join(directory, "reads.ts"))};
  const seen = [];
  watchReads("/ours", (path) => seen.push(path));
  const read = () => seen.splice(0).join();
  existsSync("/ours/a");
  fs.existsSync(new URL("file:///ours/b"));
  await readFile("/ours/c").catch(() => {});
  console.log(read());
  existsSync("/ours-not");
  existsSync("/ours/node_modules/a");
  execFileSync("true", ["--", "/ourselves"]);
  console.log(read());
  execFileSync("true", ["/ours/program"]);
  console.log(read());
  try { execFileSync("true", { cwd: "/ours/d" }); } catch {}
  console.log(read());
`;

test("notes the paths below the root that are read, and the root for a program that gets one of them", () => {
  const text = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  expect(text.split("\n")).toEqual(["/ours/a,/ours/b,/ours/c", "", "/ours", "/ours", ""]);
});
