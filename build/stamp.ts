import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** An executable's origin: the package's version and the commit that it was built from. */
export type Stamp = { version: string; commit: string };

/** Reads the stamp of the work tree at `root`; without git the commit is `unknown`. */
export function readStamp(root: string): Stamp {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  return { version, commit: readCommit(root) };
}

function readCommit(root: string): string {
  const [workTree, head] = git(root, "rev-parse", "--show-toplevel", "HEAD");
  // An unpacked archive inside another project's repository must not get that repository's commit.
  if (workTree !== realpathSync(root) || head === undefined) return "unknown";
  const changes = git(root, "status", "--porcelain", "--untracked-files=no");
  return changes.length === 0 ? head : `${head}-dirty`;
}

function git(root: string, ...args: string[]): string[] {
  try {
    // git must not lock the index: someone may be committing.
    const command = ["--no-optional-locks", "-C", root, ...args];
    const output = execFileSync("git", command, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return output.split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
