import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withoutNode } from "../../build/bundle.ts";
import { lintFixtures } from "../support/lint-fixtures.ts";
import { openPage, startBrowser } from "./browser.ts";

const root = join(import.meta.dirname, "../..");
const executable = join(root, "dist/bin/cni-wrappers");

const listsIn = (directory: string) =>
  readdirSync(join(root, directory))
    .filter((name) => /\.conf(?:list)?$/.test(name))
    .map((name) => join(root, directory, name));

const hasNoJq = (file: string) => !/"jq"\s*:/.test(readFileSync(file, "utf8"));
const examples = listsIn("conf-examples").filter(hasNoJq);
const fixtures = [...listsIn("test/fixtures/lists"), ...lintFixtures().map(({ file }) => file)];
/** The page does not run jq. */
const withoutJq = [...examples, ...fixtures.filter(hasNoJq)];

/** Looks at all files, several at once: the executable's start takes most of the time. */
async function forEach(files: readonly string[], look: (file: string) => Promise<void>): Promise<void> {
  const left = [...files];
  const next = async () => {
    for (let file = left.pop(); file !== undefined; file = left.pop()) await look(file);
  };
  await Promise.all([next(), next(), next(), next()]);
}

/** A script of the commands' own code, for a browser. */
async function scriptOf(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, name)],
    ...{ bundle: true, write: false, platform: "browser", mainFields: ["module", "main"], plugins: [withoutNode] },
  });
  return outputFiles[0]?.text ?? "";
}

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser();
  ({ page } = await openPage(browser));
  await page.evaluate(await scriptOf("commands.ts"));
});
afterAll(() => browser.close());

/** What the executable prints for a file, in the file's directory. */
function printed(file: string, ...args: string[]): Promise<{ stdout: string; exitCode: number }> {
  const options = { cwd: dirname(file), env: { COLUMNS: "80" }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(executable, [...args, basename(file)], options, (error, stdout) => {
      resolve({ stdout, exitCode: Number(error?.code ?? 0) });
    });
  });
}

/** What the page answers; undefined if it says that this is no list. */
async function answeredTo(file: string, command: string, ...more: string[]): Promise<string | undefined> {
  const args = [basename(file), readFileSync(file, "utf8"), ...more].map((arg) => JSON.stringify(arg));
  const expression = `(() => { try { return commands.${command}(${args}); } catch { return null; } })()`;
  return ((await page.evaluate(expression)) as string | null) ?? undefined;
}

/** A journal's entry has the time of the call in its id, in milliseconds. */
function withoutTime(text: string): string {
  return text.replaceAll(/"id": "1-\d{13}-/g, '"id": "1-time-');
}

test("there are some hundred lists, and few of them have jq", () => {
  expect(withoutJq.length).toBeGreaterThan(300);
  expect(fixtures.length + examples.length - withoutJq.length).toBeLessThan(20);
});

test("lint finds the same, byte for byte", async () => {
  await forEach(withoutJq, async (file) => {
    const { stdout } = await printed(file, "lint", "--json");
    expect([file, await answeredTo(file, "lint")]).toEqual([file, stdout]);
  });
});

test("wrap changes the same, byte for byte", async () => {
  const changed: string[] = [];
  await forEach(withoutJq, async (file) => {
    const { stdout, exitCode } = await printed(file, "wrap");
    if (exitCode !== 2) expect([file, await answeredTo(file, "wrap")]).toEqual([file, stdout]);
    if (stdout !== "") changed.push(file);
  });
  expect(changed.length).toBeGreaterThan(20);
});

// CHECK and DEL differ from ADD only in the steps: a part of the lists is enough.
test.each([
  ["ADD", withoutJq],
  ["CHECK", examples],
  ["DEL", examples],
])("explain says the same about %s, byte for byte", async (verb, files) => {
  const explained: string[] = [];
  await forEach(files, async (file) => {
    const { stdout } = await printed(file, "explain", "--verb", verb, "--json");
    const answer = await answeredTo(file, "explainJson", verb);
    expect([file, answer && withoutTime(answer)]).toEqual([file, stdout === "" ? undefined : withoutTime(stdout)]);
    if (stdout !== "") explained.push(file);
  });
  expect(explained.length).toBeGreaterThan(files.length * 0.8);
});

test("explain's text begins with the page's, and a table of the attachment follows", async () => {
  await forEach(examples, async (file) => {
    const { stdout } = await printed(file, "explain");
    const text = (await answeredTo(file, "explain", "ADD")) ?? "none";
    expect([file, stdout.slice(0, text.length)]).toEqual([file, text]);
    expect(stdout.slice(text.length)).toMatch(/^(?:\nhost +plugin +interface +address\n[^{}]*)?$/);
  });
});
