// `npm run docs:commands`: docs/commands.md with the real output of its commands. `-- --write` renews the page.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root } from "../publish.ts";
import { renewedPage } from "./command-page.ts";

const page = join(root, "docs/commands.md");
const renewed = await renewedPage(readFileSync(page, "utf8"));
if (process.argv.includes("--write")) writeFileSync(page, renewed);
else process.stdout.write(renewed);
