// Usage: npm run release:verify -- ARCHIVE...
//
// Builds each archive again from the commit that it names, in a new clone with empty caches, and compares the bytes.
import { basename, resolve } from "node:path";
import { oneLine, printable } from "../../cli/terminal.ts";
import { runBuild } from "../publish.ts";
import { checksum } from "./pack.ts";
import { verifyArchive } from "./rebuild.ts";

async function verify(): Promise<void> {
  const archives = process.argv.slice(2).map((file) => resolve(file));
  if (archives.length === 0) throw new Error("name the archives: npm run release:verify -- dist/release/*.tgz");
  for (const archive of archives) {
    const found = differencesOf(archive);
    for (const difference of found) console.log(shown(`${basename(archive)}: ${difference}`));
    if (found.length > 0) process.exitCode = 1;
    else console.log(`${basename(archive)}: the sources give the same bytes, sha256 ${checksum(archive, "sha256")}`);
  }
}

function differencesOf(archive: string): readonly string[] {
  try {
    return verifyArchive(archive);
  } catch (error) {
    throw new Error(shown((error as Error).message));
  }
}

// Names and the bill of materials in an archive could otherwise forge the line that says that it is verified.
function shown(text: string): string {
  return printable(oneLine(text));
}

await runBuild(verify);
