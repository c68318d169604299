import { ipamTypeOf } from "../lists/ipam.ts";
import { isWrapperType, type List } from "../lists/list.ts";
import { diffText } from "../wrap/change.ts";
import { type Answers, screen, type Wrapping } from "./answers.ts";
import { byId, element, show } from "./elements.ts";

/** Shows what `wrap` would change, and what a host then needs. */
export function showWrapping({ list, wrapping }: Answers): void {
  const isChanged = wrapping !== undefined && wrapping.text !== list?.file.text;
  show("wrapping", wrapping !== undefined);
  show("take", isChanged);
  show("diff", isChanged);
  byId("copy-list").textContent = isChanged ? "Copy the wrapped list" : "Copy the list";
  if (!list || !wrapping) return;
  const sentences = [...wrapping.plugins.map(({ becomes, does }) => `${becomes} ${does}.`), ...wrapping.notes];
  byId("decisions").replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
  byId("diff").replaceChildren(...(isChanged ? linesOf(list, wrapping) : []));
  showInstallation(list, wrapping);
}

// The names of the file say nothing here, nor does the end of its last line: a wrapped list ends as the list does.
function linesOf({ file }: List, { text }: Wrapping): Node[] {
  const diff = diffText(file.path, file.text, text, screen);
  const lines = diff.trimEnd().split("\n");
  return lines.filter((line) => !/^(?:---|\+\+\+|\\) /.test(line)).map(lineOf);
}

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

function lineOf(line: string): Node {
  const kind = kinds[line.slice(0, 1)];
  return element("span", kind === undefined ? {} : { class: kind }, `${line}\n`);
}

function showInstallation({ name, plugins }: List, wrapping: Wrapping): void {
  const become = new Map(wrapping.plugins.map(({ index, becomes }) => [index, becomes]));
  const wrappers = plugins.map(({ index, type }) => become.get(index) ?? type).filter(isWrapperType);
  const ipam = plugins.flatMap(({ configuration }) => ipamTypeOf(configuration) ?? []);
  show("installation", wrappers.length > 0);
  byId("mode").textContent = `network { mode = "cni/${name ?? "..."}" }`;
  byId("links").replaceChildren(...codes(wrappers));
  byId("plugins").replaceChildren(...codes([...plugins.map(({ delegate }) => delegate), ...ipam]));
}

/** Names, each once, as in a sentence. */
export function codes(names: readonly string[]): (Node | string)[] {
  const once = [...new Set(names)].filter((name) => name !== "").sort();
  return once.flatMap((name, index) => {
    const before = index === 0 ? "" : index === once.length - 1 ? " and " : ", ";
    return [before, element("code", {}, name)];
  });
}
