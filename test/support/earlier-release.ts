import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { execa, execaSync } from "execa";
import { cache, root } from "../../build/publish.ts";

/** The last commit of 0.2.0, whose wrappers kept records instead of journals. */
const commit = "5217eaa74cd4dbb482b9fe5f201585517dc53b93";

const directory = path.join(cache, `release-${commit.slice(0, 12)}`);

/** Whether 0.2.0 can be built: a clone may have no history. */
export function hasEarlierRelease(): boolean {
  const { failed } = execaSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, reject: false });
  return existsSync(directory) || !failed;
}

/** Returns the directory with the wrappers of 0.2.0. They are built if they are missing. */
export async function earlierRelease(): Promise<string> {
  const bin = path.join(directory, "dist/bin");
  if (existsSync(bin)) return bin;
  await mkdir(cache, { recursive: true });
  const tree = await mkdtemp(`${directory}-`);
  await execa("sh", ["-c", 'git archive "$0" | tar -x -C "$1"', commit, tree], { cwd: root });
  await symlink(path.join(root, "node_modules"), path.join(tree, "node_modules"));
  await execa(process.execPath, ["build/build.ts"], { cwd: tree });
  // Another run may have been faster.
  await rename(tree, directory).catch(() => rm(tree, { recursive: true }));
  return bin;
}
