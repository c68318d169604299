import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answered, openPage, partOf, paste, startBrowser } from "./browser.ts";
import { longList, plainList } from "./lists.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What somebody may see: how it comes about. */
const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "the plain list": async () => {},
  "the wrapped list, with its steps": async (page) => {
    await page.getByRole("button", { name: "Take the wrapped list" }).click();
    await answered(page);
    await page.locator("#steps > summary").click();
    await page.locator("#steps-text").getByText("1. macvlan-wrapper").waitFor();
  },
  "broken JSON": (page) => paste(page, plainList.slice(0, -20)),
  "a long list, with a reason": async (page) => {
    await paste(page, longList);
    await page
      .getByText(/^Why: /)
      .first()
      .click();
  },
};

const screens = { dark: 1280, light: 1280, "light, narrow": 360, "dark, narrow": 360 };

describe.each(Object.entries(states))("%s", (name, reach) => {
  test.each(Object.entries(screens))("%s: axe finds nothing, and nothing is cut off", async (screen, width) => {
    const colorScheme = screen.startsWith("dark") ? "dark" : "light";
    // axe would be refused by the page's policy, as any script that is not its own.
    const { page } = await openPage(browser, "", { bypassCSP: true, colorScheme, viewport: { width, height: 800 } });
    await reach(page);
    await page.addScriptTag({ path: axe });
    const violations = (await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.flat().join(" ")).join(", ")))`)) as string[];
    expect(violations).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    const file = `dist/page-screens/${name} ${screen}.png`.replaceAll(/[ ,]+/g, "-");
    await page.screenshot({ path: file, fullPage: true });
    await page.context().close();
  });
});

test("README's picture is taken from it", async () => {
  const { page } = await openPage(browser, "", { colorScheme: "light", viewport: { width: 1180, height: 850 } });
  const picture = await page.screenshot({ path: "dist/page-screens/page.png" });
  expect(picture.length).toBeLessThan(170_000);
});

test("everything is within reach of a keyboard", async () => {
  const { page, faults } = await openPage(browser, partOf(plainList));
  const focused = () =>
    page.evaluate("document.activeElement.id || document.activeElement.textContent") as Promise<string>;
  const reached: string[] = [];
  for (let presses = 0; presses < 30 && !reached.includes("SUMMARY"); presses++) {
    await page.keyboard.press("Tab");
    const name = await focused();
    if (reached.includes(name) && name !== "Why: unwrapped-creator") break;
    reached.push(name);
  }
  expect(reached.slice(0, 6)).toEqual(["examples", "copy", "editor", "diff", "take", "copy-list"]);
  await page.locator("#take").focus();
  await page.keyboard.press("Enter");
  await answered(page);
  expect(await page.locator("#summary").innerText()).toBe("✓ All of it passes.");
  expect(await focused()).toBe("summary");
  expect(faults).toEqual([]);
});
