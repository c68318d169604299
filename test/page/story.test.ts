import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporary } from "../support/scratch.ts";
import { address, answered, openPage, paste, startBrowser, verdictRows } from "./browser.ts";
import { plainList } from "./lists.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const allPass = Object.fromEntries(
  ["start", "second", "restart", "joined", "retry", "reboot", "stop", "gone"].map((event) => [event, "✓ passes"]),
);

test("somebody types README's plain list, takes the wrapped one, and sends a link", async () => {
  const { page, faults } = await openPage(browser, "", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.locator(".cm-content").pressSequentially(plainList);
  await answered(page);
  expect(await page.locator("#summary").innerText()).toBe("✗ It fails at bridge. The wrapped list below passes.");
  expect(await verdictRows(page)).toEqual({ start: "✗ fails at bridge", restart: "– never reached", stop: "✓ passes" });
  expect(await page.locator("#events tr").nth(1).innerText()).toContain(
    "With a script that merges the results of ADD, it fails at macvlan: Failed to match addr 172.26.64.2/20 on interface eth0",
  );
  expect(await page.locator("#events tr").first().innerText()).toContain(
    'container veth name ("eth0") peer provided ("...") already exists',
  );
  expect(await page.locator("#findings .place").allInnerTexts()).toEqual(
    ['"macvlan"', '"bridge"'].map((type) => `Line 1, column ${plainList.indexOf(type) + 1}`),
  );
  expect(await page.locator("#diff .added").innerText()).toContain(
    '"type":"bridge-wrapper","wrapper":{"ifName":"eth1"}',
  );
  expect(await page.locator("#diff").innerText()).not.toContain("No newline");

  const back = page.getByRole("button", { name: "Back to the list before" });
  expect(await back.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Copy the wrapped list" }).click();
  await page.getByText("The list is copied.").waitFor();
  const copied = JSON.parse(String(await page.evaluate("navigator.clipboard.readText()")));
  expect(copied.plugins.map(({ type }: { type: string }) => type)).toEqual(["macvlan-wrapper", "bridge-wrapper"]);

  await page.getByRole("button", { name: "Take the wrapped list" }).click();
  await answered(page);
  await back.click();
  await answered(page);
  expect(await page.locator(".cm-content").innerText()).toBe(plainList);
  expect(await back.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Take the wrapped list" }).click();
  await answered(page);
  expect(await page.locator("#summary").innerText()).toBe("✓ All of it passes.");
  const { twice, ...others } = await verdictRows(page);
  expect(others).toEqual(allPass);
  expect(twice).toBe("– not counted: fails at bridge-wrapper");
  expect(await page.locator("#findings li").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Take the wrapped list" }).isVisible()).toBe(false);
  expect(await page.locator("#links").innerText()).toBe("bridge-wrapper and macvlan-wrapper");
  const installation = await page.locator("#installation").innerText();
  expect(installation).toContain('network { mode = "cni/zone" }');
  expect(installation).toContain("cni-wrappers preflight --cni-path /opt/cni/bin --with FILE");

  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("The link is copied. It leads to the file on this computer").waitFor();
  const link = String(await page.evaluate("navigator.clipboard.readText()"));
  expect(link.slice(0, address.length + 6)).toBe(`${address}#list=`);
  const other = await openPage(browser, link.slice(address.length));
  expect(await verdictRows(other.page)).toEqual({ ...others, twice });
  expect(await other.page.locator(".cm-content").innerText()).toBe(await page.locator(".cm-content").innerText());
  expect([...faults, ...other.faults]).toEqual([]);
});

test("it begins with README's plain list, has the examples, and none of them fails", async () => {
  const { page, faults } = await openPage(browser);
  expect(await page.locator("#summary").innerText()).toBe("✗ It fails at bridge. The wrapped list below passes.");
  expect(await page.locator("#examples").inputValue()).toBe("README's plain list");
  expect(await page.locator("#simulated").innerText()).toContain("host-local, ipvlan, loopback, macvlan");
  const names = await page.locator("#examples option").allInnerTexts();
  expect(names).toContain("macvlan-bridge.conflist");
  for (const name of names.slice(2)) {
    await page.locator("#examples").selectOption(name);
    await answered(page);
    expect(await page.locator("#examples").inputValue()).toBe(name);
    expect([name, await page.locator("#findings .bad").count()]).toEqual([name, 0]);
    expect([name, (await verdictRows(page)).start]).toEqual([name, expect.stringMatching(/passes|not known/)]);
  }
  expect(faults).toEqual([]);
});

test("a page that is loaded again shows what was typed", async () => {
  const { page, faults } = await openPage(browser);
  expect(page.url()).not.toContain("#");
  await paste(page, plainList);
  await page.waitForURL(/#list=/);
  await page.reload();
  await expect.poll(() => page.locator(".cm-content").innerText()).toBe(plainList);
  expect(await page.locator("#copied").innerText()).toBe("");
  expect(faults).toEqual([]);
});

test("it shows what each plugin is given, verb by verb, if somebody asks", async () => {
  const { page, faults } = await openPage(browser);
  await page.getByRole("button", { name: "Take the wrapped list" }).click();
  await answered(page);
  expect(await page.locator("#steps-text").innerText()).toBe("");
  await page.locator("#steps > summary").click();
  const shown = page.locator("#steps-text");
  await shown.getByText("2. bridge-wrapper runs bridge (makes eth1)").waitFor();
  for (const verb of ["CHECK", "DEL"]) {
    await page.locator("#verb").selectOption(verb);
    await shown.getByText(`${verb} in the network zone`).waitFor();
  }
  await page.locator("#verb").selectOption("STATUS");
  await shown.getByText("A runtime does not send it: the list's cniVersion is 1.0.0").waitFor();
  expect(faults).toEqual([]);
});

test("a finding leads to its place, and says why it matters", async () => {
  const { page, faults } = await openPage(browser);
  await page.getByRole("button", { name: "Line 15, column 15" }).click();
  expect(
    await page.evaluate("getSelection().toString() || document.activeElement.shadowRoot.getSelection().toString()"),
  ).toBe('"bridge"');
  await page.getByText("Why: unwrapped-creator").first().click();
  await page.locator(".rule").first().getByText("unwrapped-creator (error)").waitFor();
  expect(await page.locator(".rule strong").first().innerText()).toBe("every");
  expect(await page.locator(".rule").first().innerText()).not.toContain("**");
  expect(faults).toEqual([]);
});

test("a link that cannot be read is no silent example", async () => {
  const { page, faults } = await openPage(browser, "#list=garbage");
  await page.getByText("The link cannot be read").waitFor();
  // The first answers come later than the words about the link.
  await page.waitForTimeout(200);
  expect(await page.locator("#copied").innerText()).toMatch(/^The link cannot be read/);
  await page.locator(".cm-content").pressSequentially(" ");
  await answered(page);
  expect(await page.locator("#copied").innerText()).toBe("");
  expect(faults).toEqual([]);
});

test("a text that is too long stays out, the words say so until somebody types, and typing can be undone", async () => {
  const { page, faults } = await openPage(browser, "", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy the wrapped list" }).click();
  await page.getByText("The list is copied.").waitFor();
  const list = page.locator(".cm-content");
  const before = await list.innerText();
  await paste(page, "x".repeat(32 * 1024 + 1));
  expect(await page.locator("#copied").innerText()).toBe(
    "The text has more than 32 KB, and the page does not take it. Use cni-wrappers explain.",
  );
  expect(await list.innerText()).toBe(before);
  await list.press("End");
  await list.pressSequentially("y");
  await answered(page);
  expect([await page.locator("#copied").innerText(), await page.locator("#list-copied").innerText()]).toEqual(["", ""]);
  expect(await list.innerText()).not.toBe(before);
  await list.press("ControlOrMeta+z");
  await answered(page);
  expect(await list.innerText()).toBe(before);
  expect(faults).toEqual([]);
});

test("explain --html writes a page that begins with the list", async () => {
  const directory = temporary();
  writeFileSync(join(directory, "zone.conflist"), plainList.replace("zone", "</script>z"));
  const program = join(import.meta.dirname, "../../dist/bin/cni-wrappers");
  spawnSync(program, ["explain", "--html", "zone.html", "zone.conflist"], { cwd: directory });
  const page = await (await browser.newContext()).newPage();
  await page.goto(pathToFileURL(join(directory, "zone.html")).href);
  await answered(page);
  expect(await page.locator("#summary").innerText()).toMatch(/^✗ It fails/);
  expect(await page.locator(".cm-content").innerText()).toContain("</script>z");
});

test("a list whose only interface plugin fails rarely is offered its wrapper", async () => {
  const { page, faults } = await openPage(browser);
  const { plugins, ...list } = JSON.parse(plainList);
  const portmap = { type: "portmap", capabilities: { portMappings: true } };
  await paste(page, JSON.stringify({ ...list, plugins: [plugins[1], portmap] }));
  expect(await page.locator("#summary").innerText()).toMatch(
    /^! Starts, restarts and stops pass\. bridge fails when ADD runs again .* The wrapped list below passes\.$/,
  );
  await page.getByRole("button", { name: "Take the wrapped list" }).click();
  await answered(page);
  expect(await page.locator("#summary").innerText()).toBe("✓ All of it passes.");
  expect(await page.locator("#links").innerText()).toBe("bridge-wrapper");
  expect(faults).toEqual([]);
});

test("a list with jq is not known, and broken JSON is no list", async () => {
  const { page, faults } = await openPage(browser);
  await paste(page, plainList.replace('"macvlan"', '"macvlan-wrapper","wrapper":{"jq":"."}'));
  expect(await page.locator("#summary").innerText()).toMatch(/^\? Not known: the page does not run jq\. /);
  await paste(page, plainList.slice(0, -1));
  expect(await page.locator("#summary").innerText()).toMatch(/^\? Line 1, column \d+: /);
  expect(await page.locator("#findings li").count()).toBe(1);
  expect(await page.locator(".cm-lintRange-error, .cm-lintPoint-error").count()).toBe(1);
  expect(await page.locator("#wrapping").isVisible()).toBe(false);
  expect(faults).toEqual([]);
});
