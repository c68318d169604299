// Usage: npm run release:notes -- TAG
//
// Prints the changelog's section for a tag. Fails if the tag, the changelog or package.json is not ready for a release.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readProject } from "../project.ts";
import { root, runBuild } from "../publish.ts";
import { readStamp } from "../stamp.ts";
import { releaseNotes } from "./changelog.ts";

async function notes(): Promise<void> {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  console.log(releaseNotes(process.argv[2] ?? "", readStamp(root).version, readProject(), changelog));
}

await runBuild(notes);
