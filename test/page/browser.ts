import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const file = join(import.meta.dirname, "../../dist/page/index.html");

/** The address of the page, as a file. */
export const address = pathToFileURL(file).href;

/** Starts Debian's Chromium. */
export function startBrowser(): Promise<Browser> {
  if (!existsSync(file)) throw new Error("dist/page/index.html is missing: npm run page");
  // The tests run as root, without a user namespace for a sandbox.
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/** Opens the page in a context of its own. The faults are errors, messages in the console, requests, dialogs and windows. */
export async function openPage(browser: Browser, part = "", options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("popup", (popup) => faults.push(`window: ${popup.url()}`));
  await page.route("**", (route) => {
    const url = route.request().url();
    if (url.split("#")[0] === address) return route.continue();
    faults.push(`request: ${url}`);
    return route.abort();
  });
  await page.goto(address + part);
  await answered(page);
  return { page, faults };
}

/** Waits until the page has answered for the list that is in the editor. */
export async function answered(page: Page): Promise<void> {
  await page.locator('#answers[aria-busy="false"]').waitFor({ state: "attached" });
}

/** A link's part with a text, made by another program than the page. */
export function partOf(text: string | Uint8Array): string {
  return `#list=${deflateRawSync(text).toString("base64url")}`;
}

/** Opens a link in the page that is there, and waits for its answers. */
export async function follow(page: Page, part: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    addEventListener("hashchange", resolve, { once: true });
    location.hash = ${JSON.stringify(part)};
  })`);
  await answered(page);
}

/** Replaces the list as somebody does who pastes another one. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.querySelector("#editor").shadowRoot.querySelector(".cm-content").dispatchEvent(event);
  }`);
  await answered(page);
}

/** The rows of the verdict: event, and the first line of the outcome. */
export async function verdictRows(page: Page): Promise<Readonly<Record<string, string>>> {
  const rows = await page.locator("#events tr").all();
  const pairs = rows.map(async (row) => [
    await row.locator("strong").innerText(),
    (await row.locator("td").innerText()).split("\n")[0],
  ]);
  return Object.fromEntries(await Promise.all(pairs));
}
