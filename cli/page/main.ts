import { simulatedPlugins } from "../explain/model-answers.ts";
import { type Answers, answersFor } from "./answers.ts";
import { showDrawing } from "./drawing-view.ts";
import { type Editor, makeEditor } from "./editor.ts";
import { byId, element, show } from "./elements.ts";
import { showFindings } from "./findings-view.ts";
import { longestText } from "./limits.ts";
import { linkPart, listInLink } from "./link.ts";
import { prepareSteps, showSteps } from "./steps-view.ts";
import { showVerdict } from "./verdict-view.ts";
import { codes, showWrapping } from "./wrapping-view.ts";

// The build defines it.
declare const __EXAMPLES__: string;

/** The lists to choose from: a name, and the text. */
const examples: readonly (readonly [string, string])[] = JSON.parse(__EXAMPLES__);

const editor: Editor = makeEditor(byId("editor"), changed, refused);
let answers: Answers = answersFor("");
let timer: ReturnType<typeof setTimeout> | undefined;
/** How long the last two answers took, in milliseconds. */
let took: readonly number[] = [0];
/** The text that the address, or the page without one, leads to. */
let linked = firstList();
let linkTimer: ReturnType<typeof setTimeout> | undefined;
/** The list that was there before its wrapped one was taken. */
let taken: { readonly before: string; readonly after: string } | undefined;

// A long list must not stop the typing: it is read when the fingers rest. The browser may have been busy during one answer.
function changed(): void {
  clearTimeout(timer);
  setBusy(true);
  say("");
  say("", "list-copied");
  const usual = Math.min(...took);
  timer = setTimeout(answer, usual < 60 ? 10 : Math.min(usual * 2, 1000));
}

function refused(): void {
  say(`The text has more than ${longestText / 1024} KB, and the page does not take it. Use cni-wrappers explain.`);
}

function say(text: string, place = "copied"): void {
  byId(place).textContent = text;
}

function answer(): void {
  const started = performance.now();
  const text = editor.text();
  answers = answersFor(text);
  showVerdict(answers);
  showFindings(answers, editor);
  showDrawing(answers);
  showWrapping(answers);
  showSteps(answers.list);
  show("back", taken?.after === text);
  examplesSelect().value = examples.find(([, example]) => example === text)?.[0] ?? "";
  took = [...took.slice(-1), performance.now() - started];
  setBusy(false);
  if (text === linked) return;
  // A browser refuses an address that changes all the time.
  clearTimeout(linkTimer);
  linkTimer = setTimeout(putIntoAddress, 500, text);
}

/** A page that is loaded again shows what was typed. */
async function putIntoAddress(text: string): Promise<void> {
  const link = await linkPart(text);
  if (text !== editor.text()) return;
  linked = text;
  history.replaceState(null, "", link);
}

function setBusy(isBusy: boolean): void {
  byId("answers").setAttribute("aria-busy", String(isBusy));
}

function examplesSelect(): HTMLSelectElement {
  return byId("examples") as HTMLSelectElement;
}

function fillExamples(): void {
  const select = examplesSelect();
  select.append(...examples.map(([name]) => element("option", { value: name }, name)));
  select.addEventListener("change", () => {
    const [, text] = examples.find(([name]) => name === select.value) ?? [];
    if (text !== undefined) editor.replace(text);
  });
}

async function copyLink(): Promise<void> {
  await putIntoAddress(editor.text());
  const where =
    location.protocol === "file:" ? " It leads to the file on this computer: for others, copy the list." : "";
  try {
    await navigator.clipboard.writeText(location.href);
    say(`The link is copied.${where}`);
  } catch {
    say(`The link is in the address of this page.${where}`);
  }
}

/** Shows the list of the address. */
async function openLink(): Promise<void> {
  if (location.hash === "") return;
  setBusy(true);
  const text = await listInLink(location.hash);
  if (text !== undefined) {
    linked = text;
    return editor.replace(text);
  }
  setBusy(false);
  say("The link cannot be read: it is damaged or too long. The list below is not the one that was sent.");
}

async function copyList(): Promise<void> {
  try {
    await navigator.clipboard.writeText(answers.wrapping?.text ?? editor.text());
    say("The list is copied.", "list-copied");
  } catch {
    say("This browser does not let the page copy: take the list, and copy it from the editor.", "list-copied");
  }
}

function takeWrapped(): void {
  if (answers.wrapping) {
    taken = { before: editor.text(), after: answers.wrapping.text };
    editor.replace(taken.after);
  }
  byId("summary").focus();
}

function goBack(): void {
  if (taken) editor.replace(taken.before);
  byId("summary").focus();
}

/** The list that `explain --html` put into the page, or README's. */
function firstList(): string {
  const given: unknown = JSON.parse(byId("given").textContent || "null");
  return typeof given === "string" ? given : (examples[0]?.[1] ?? "");
}

fillExamples();
prepareSteps(() => showSteps(answers.list));
byId("take").addEventListener("click", takeWrapped);
byId("back").addEventListener("click", goBack);
byId("copy").addEventListener("click", copyLink);
byId("copy-list").addEventListener("click", copyList);
byId("simulated").replaceChildren(...codes(simulatedPlugins()));
addEventListener("hashchange", openLink);
editor.replace(linked);
answer();
openLink();
