// `npm run lint-page`: the rules of lint with a real report of each. `-- --write` puts them into their page.
import { writeSection } from "../../../build/docs/page-section.ts";
import { lintPage } from "../../support/lint-page.ts";

const text = lintPage();
console.log(text);
if (process.argv.includes("--write")) writeSection("lint", text);
