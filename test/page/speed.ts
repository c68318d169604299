// `npm run bench:page`: how long the page takes from a keystroke to its answers, for a list of five plugins.
import { answered, openPage, paste, startBrowser } from "./browser.ts";
import { fivePlugins } from "./lists.ts";

const [keystrokes, most] = [60, 100];

const browser = await startBrowser();
try {
  const { page } = await openPage(browser);
  await paste(page, fivePlugins);
  await page.evaluate(`{
    globalThis.times = [];
    let pressed;
    addEventListener("keydown", () => { pressed = performance.now(); }, true);
    new MutationObserver(() => {
      if (document.querySelector("#answers").ariaBusy === "false") times.push(performance.now() - pressed);
    }).observe(document.querySelector("#answers"), { attributeFilter: ["aria-busy"] });
  }`);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let index = 0; index < keystrokes; index++) {
    await page.keyboard.press("Space");
    await answered(page);
  }
  const times = ((await page.evaluate("times")) as number[]).sort((one, other) => one - other);
  const [median = Number.NaN, slow = Number.NaN] = [0.5, 0.95].map((part) => times[Math.floor(times.length * part)]);
  console.log(`${times.length} keystrokes in a list of five plugins, from the key to all answers:`);
  console.log(`median ${median.toFixed(0)} ms, 95 of 100 within ${slow.toFixed(0)} ms`);
  if (!(median < most)) throw new Error(`the median is not below ${most} ms`);
} finally {
  await browser.close();
}
