import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { longestText } from "./limits.ts";

/** The editor of the list. */
export interface Editor {
  text(): string;
  /** Replaces the whole text, which can be undone. */
  replace(text: string): void;
  mark(diagnostics: readonly Diagnostic[]): void;
  /** Moves the cursor to a place, and the focus into the editor. */
  goTo(from: number, to: number): void;
}

// The page's style sheet has the colors: its variables reach into the shadow root.
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--key)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--box)", color: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--box)", color: "var(--dim)", borderRight: "1px solid var(--line)" },
  ".cm-lintRange": { backgroundImage: "none" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)" },
  ".cm-tooltip": { backgroundColor: "var(--page)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--warn)" },
});

/**
 * Puts the editor into a place. `changed` is called after each change of the text, and `refused` if a text is too long: the
 * editor keeps the one before.
 */
export function makeEditor(place: HTMLElement, changed: () => void, refused: () => void): Editor {
  // In a shadow root, CodeMirror's styles are no <style>, which the page's policy would forbid.
  const root = place.attachShadow({ mode: "open" });
  const extensions = extensionsFor(changed, refused);
  const view = new EditorView({ state: EditorState.create({ extensions }), parent: root, root });
  return {
    text: () => view.state.doc.toString(),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    mark: (diagnostics) => view.dispatch(setDiagnostics(view.state, diagnostics)),
    goTo(from, to) {
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
  };
}

function extensionsFor(changed: () => void, refused: () => void): Extension {
  return [
    lineNumbers(),
    history(),
    json(),
    indentUnit.of("  "),
    indentOnInput(),
    bracketMatching(),
    syntaxHighlighting(colors),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "Network configuration list", tabindex: "0" }),
    EditorState.changeFilter.of(({ newDoc }) => {
      const fits = newDoc.length <= longestText;
      if (!fits) refused();
      return fits;
    }),
    EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
    theme,
  ];
}
