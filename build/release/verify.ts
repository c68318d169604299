// Usage: npm run release:verify -- ARCHIVE...
//
// Builds each archive again from the commit that it names, in a new clone with empty caches, and compares the bytes.
import { basename, resolve } from "node:path";
import { runBuild } from "../publish.ts";
import { checksum } from "./pack.ts";
import { verifyArchive } from "./rebuild.ts";

async function verify(): Promise<void> {
  const archives = process.argv.slice(2).map((file) => resolve(file));
  if (archives.length === 0) throw new Error("name the archives: npm run release:verify -- dist/release/*.tgz");
  for (const archive of archives) {
    const found = verifyArchive(archive);
    for (const difference of found) console.log(`${basename(archive)}: ${difference}`);
    if (found.length > 0) process.exitCode = 1;
    else console.log(`${basename(archive)}: the sources give the same bytes, sha256 ${checksum(archive, "sha256")}`);
  }
}

await runBuild(verify);
