import { type Answers, answersFor } from "./answers.ts";
import { commands } from "./commands.ts";
import { showDrawing } from "./drawing-view.ts";
import { type Editor, makeEditor } from "./editor.ts";
import { byId, element } from "./elements.ts";
import { showFindings } from "./findings-view.ts";
import { longestText } from "./limits.ts";
import { linkPart, listInLink } from "./link.ts";
import { prepareSteps, showSteps } from "./steps-view.ts";
import { showVerdict } from "./verdict-view.ts";
import { showWrapping } from "./wrapping-view.ts";

// The build defines it.
declare const __EXAMPLES__: string;

/** The lists to choose from: a name, and the text. */
const examples: readonly (readonly [string, string])[] = JSON.parse(__EXAMPLES__);

const editor: Editor = makeEditor(byId("editor"), changed, refused);
let answers: Answers = answersFor("");
let timer: ReturnType<typeof setTimeout> | undefined;
/** How long the last answers took, in milliseconds. */
let took = 0;

// A long list must not stop the typing: it is read when the fingers rest.
function changed(): void {
  clearTimeout(timer);
  setBusy(true);
  say("");
  timer = setTimeout(answer, took < 30 ? 10 : Math.min(took * 3, 1000));
}

function refused(): void {
  say(`The text has more than ${longestText / 1024} KB, and the page does not take it. Use cni-wrappers explain.`);
}

function say(text: string): void {
  byId("copied").textContent = text;
}

function answer(): void {
  const started = performance.now();
  answers = answersFor(editor.text());
  showVerdict(answers);
  showFindings(answers, editor);
  showDrawing(answers);
  showWrapping(answers);
  showSteps(answers.list);
  took = performance.now() - started;
  setBusy(false);
}

function setBusy(isBusy: boolean): void {
  byId("answers").setAttribute("aria-busy", String(isBusy));
}

function fillExamples(): void {
  const select = byId("examples") as HTMLSelectElement;
  select.append(...examples.map(([name]) => element("option", { value: name }, name)));
  select.addEventListener("change", () => {
    const [, text] = examples.find(([name]) => name === select.value) ?? [];
    if (text !== undefined) editor.replace(text);
    // The same example can be chosen again.
    select.value = "";
  });
}

async function copyLink(): Promise<void> {
  history.replaceState(null, "", await linkPart(editor.text()));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("The link is in the address of this page.");
  }
}

/** Shows the list of the address. */
async function openLink(): Promise<void> {
  if (location.hash === "") return;
  setBusy(true);
  const text = await listInLink(location.hash);
  if (text !== undefined) return editor.replace(text);
  setBusy(false);
  say("The link cannot be read: it is damaged or too long. The list below is not the one that was sent.");
}

function takeWrapped(): void {
  if (answers.wrapping) editor.replace(answers.wrapping.text);
  byId("summary").focus();
}

/** The list that `explain --html` put into the page, or README's. */
function firstList(): string {
  const given: unknown = JSON.parse(byId("given").textContent || "null");
  return typeof given === "string" ? given : (examples[0]?.[1] ?? "");
}

// For the console of the browser, and for the tests.
Object.assign(globalThis, { cniWrappers: commands });
fillExamples();
prepareSteps(() => showSteps(answers.list));
byId("take").addEventListener("click", takeWrapped);
byId("copy").addEventListener("click", copyLink);
addEventListener("hashchange", openLink);
editor.replace(firstList());
answer();
openLink();
