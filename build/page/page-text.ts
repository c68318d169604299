import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Metafile } from "esbuild";
import { listOf } from "../../cli/lists/list.ts";
import { parseListFile } from "../../cli/lists/list-file.ts";
import { decideUnwrapping, unwrappedText } from "../../cli/wrap/unwrap.ts";
import { bundleForPage } from "../bundle.ts";
import { npmPackages } from "../inside/npm-packages.ts";
import { placeholders, readProject } from "../project.ts";
import type { Stamp } from "../stamp.ts";

/** The page, and esbuild's list of the source files in it. */
export interface Page {
  readonly html: string;
  readonly metafile: Metafile;
}

/** Makes the page: one HTML file, whose policy allows nothing but its own script and style. */
export async function pageText(root: string, stamp: Stamp): Promise<Page> {
  const { scripts, metafile } = await bundleForPage(root, stamp, examplesIn(root));
  const read = (name: string) => readFileSync(join(root, "cli/page", name), "utf8");
  const licences = licenceComment(root, metafile);
  const script = inHtml(`${licences}${decoded(scripts.main)}`);
  const style = read("page.css");
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  const parts: Record<string, string> = { policy, style, script, version: stamp.version, project: projectLink(root) };
  const html = read("page.html").replaceAll(/\{\{(\w+)\}\}/g, (_, name) => parts[name] ?? "");
  return { html, metafile };
}

/** A script ends at the first `</script`, wherever it is, and a browser has only one kind of line break. */
function inHtml(script: string): string {
  if (script.includes("<!--")) throw new Error("the script has a comment of HTML");
  return script.replaceAll("</script", "<\\/script").replaceAll(/\r\n?/g, "\n");
}

function decoded(script: Uint8Array | undefined): string {
  return Buffer.from(script ?? []).toString("utf8");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The lists to choose from: README's plain list, and those of conf-examples/. */
function examplesIn(root: string): (readonly [string, string])[] {
  const files = globSync("conf-examples/*.conflist", { cwd: root }).sort();
  const examples = files.map((file) => [basename(file), readFileSync(join(root, file), "utf8")] as const);
  const [, wrapped = ""] = examples.find(([name]) => name === "macvlan-bridge.conflist") ?? [];
  return [["README's plain list", plainText(wrapped)], ...examples];
}

function plainText(text: string): string {
  const list = listOf(parseListFile("", text));
  if (!list) throw new Error("conf-examples/macvlan-bridge.conflist is no list");
  return unwrappedText(list, decideUnwrapping(list));
}

/** The licences of the packages in the script, which ask for it. */
function licenceComment(root: string, metafile: Metafile): string {
  const lines = npmPackages(root, [metafile]).map(({ name, version, texts }) => `${name} ${version}\n\n${texts[0]}`);
  return `/*\n${lines.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

function projectLink(root: string): string {
  const project = readProject(root);
  if (placeholders(project).includes("repository")) return "";
  return ` How: <a href="${project.repository}">${project.repository}</a>.`;
}
