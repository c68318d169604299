import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** Makes a copy of the repository for a build, because other tests use this one. */
export async function copyOfTree(): Promise<AsyncDisposable & { readonly directory: string }> {
  const directory = await mkdtemp(path.join(tmpdir(), "cni-wrappers-tree-"));
  const left = ["node_modules", "dist", ".git"].map((name) => path.join(root, name));
  await cp(root, directory, { recursive: true, filter: (source) => !left.includes(source) });
  await symlink(path.join(root, "node_modules"), path.join(directory, "node_modules"));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}
