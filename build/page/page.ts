// `npm run page`: makes dist/page/index.html, the page where anybody can try a list.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { root, runBuild } from "../publish.ts";
import { readStamp } from "../stamp.ts";
import { pageText } from "./page-text.ts";

await runBuild(async () => {
  const { html } = await pageText(root, readStamp(root));
  const directory = join(root, "dist/page");
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "index.html");
  writeFileSync(file, html);
  const kilobytes = [Buffer.byteLength(html), gzipSync(html).length].map((bytes) => (bytes / 1000).toFixed(0));
  console.log(`${relative(root, file)}: ${kilobytes[0]} KB, ${kilobytes[1]} KB gzipped`);
});
