// `npm run lint-page`: the rules of lint with a real report of each. `-- --write` puts them into their page.
import process from "node:process";
import { lintPage } from "../../support/lint-page.ts";
import { writeSection } from "../../support/page-section.ts";

const text = lintPage();
console.log(text);
if (process.argv.includes("--write")) writeSection("lint", text);
