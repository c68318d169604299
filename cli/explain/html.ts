import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { getAsset, isSea } from "node:sea";
import { longestText } from "../page/limits.ts";
import { Trouble } from "../terminal.ts";

/** Where the page keeps the list that it begins with. */
const start = '<script type="application/json" id="given">';
const place = `${start}null</script>`;

/** Returns the page of `npm run page` with a list in it. Throws Trouble if the page does not take the list. */
export function pageWith(text: string, page = ownPage()): string {
  if (text.length > longestText) throw new Trouble(`the page takes lists of up to ${longestText / 1024} KB`);
  // The element would end at a < of the list.
  const given = JSON.stringify(text).replaceAll("<", "\\u003c");
  return page.replace(place, () => place.replace("null", () => given));
}

/** Whether a text is such a page, which a new one may replace. */
export function isPage(text: string): boolean {
  return text.startsWith("<!doctype html>") && text.includes(start);
}

/** The page is in the executable, and beside the commands in the npm package. */
function ownPage(): string {
  if (isSea()) return getAsset("page", "utf8");
  return readFileSync(join(dirname(realpathSync(process.argv[1] ?? "")), "page.html"), "utf8");
}
