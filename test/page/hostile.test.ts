import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { follow, openPage, partOf, paste, startBrowser } from "./browser.ts";
import { hostileLists } from "./hostile.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const lists = hostileLists();

/** The longest time in which the page did not react, in milliseconds. */
const watchTasks = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: "longtask", buffered: true });
`;

async function expectUnharmed(page: Page, faults: readonly string[], about: string): Promise<void> {
  const { hostile, longest } = (await page.evaluate("({ hostile: globalThis.hostile, longest })")) as {
    hostile?: unknown;
    longest: number;
  };
  expect({ about, hostile, faults }).toEqual({ about, hostile: undefined, faults: [] });
  expect(longest < 1000 ? "no freeze" : `${about}: ${longest} ms`).toBe("no freeze");
}

async function openWatched() {
  const opened = await openPage(browser);
  await opened.page.evaluate(watchTasks);
  await opened.page.locator("#steps > summary").click();
  return opened;
}

test("there are 200 of them", () => {
  expect(lists).toHaveLength(200);
});

test("in the address: nothing in them runs, asks for anything or stops the page", async () => {
  const { page, faults } = await openWatched();
  for (const [index, list] of lists.entries()) {
    await follow(page, partOf(list));
    await expectUnharmed(page, faults, `list ${index}`);
  }
});

test("in the editor: the same", async () => {
  const { page, faults } = await openWatched();
  for (const [index, list] of lists.entries()) {
    if (typeof list !== "string") continue;
    await paste(page, list);
    await expectUnharmed(page, faults, `list ${index}`);
  }
});

test("a link that is damaged, or that unpacks to 200 MB, changes nothing", async () => {
  const { page, faults } = await openWatched();
  const before = await page.locator(".cm-content").innerText();
  const parts = ["#list=!", "#list=AAAA", partOf(Buffer.alloc(200_000_000)), "#<img src=x onerror=hostile=1>"];
  for (const [index, part] of parts.entries()) {
    await follow(page, part);
    await page
      .getByText("The link cannot be read: it is damaged or too long. The list below is not the one that was sent.")
      .waitFor();
    expect(await page.locator(".cm-content").innerText()).toBe(before);
    await expectUnharmed(page, faults, `link ${index}`);
  }
});

test("the policy forbids what a script of ours must not do either", async () => {
  const { page, faults } = await openPage(browser);
  const failed = await page.evaluate(`Promise.all([
    fetch("https://hostile.example/").then(() => "fetched", () => "refused"),
    new Promise((resolve) => {
      const image = document.createElement("img");
      image.onload = () => resolve("loaded");
      image.onerror = () => resolve("refused");
      image.src = "https://hostile.example/x.png";
    }),
    new Promise((resolve) => {
      const script = document.createElement("script");
      script.textContent = "globalThis.hostile = 1";
      document.body.append(script);
      resolve(globalThis.hostile ?? "refused");
    }),
  ])`);
  expect(failed).toEqual(["refused", "refused", "refused"]);
  expect(faults.filter((fault) => fault.startsWith("request"))).toEqual([]);
  expect(faults.filter((fault) => /Content Security Policy/.test(fault)).length).toBeGreaterThanOrEqual(3);
});
