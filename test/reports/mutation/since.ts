import { execFileSync } from "node:child_process";
import { root } from "./bundle.ts";

/** The commit to compare with: the one where this branch left main. On main itself, or without changes, the one before. */
export function baseOfChanges(): string | undefined {
  const [left] = ["main", "origin/main"].flatMap((branch) => git("merge-base", "HEAD", branch) ?? []);
  const head = git("rev-parse", "HEAD");
  if (left !== undefined && left !== head) return left;
  const isClean = git("status", "--porcelain", "--untracked-files=no") === "";
  return isClean ? git("rev-parse", "HEAD~1") : head;
}

/** The lines that git prints; undefined if it fails, as outside a repository. */
export function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
