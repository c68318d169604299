import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";

/** Returns the directory of built and downloaded files that all clones share. */
export function cacheDirectory(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "cni-wrappers");
}
