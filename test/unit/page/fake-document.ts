import { readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";

/** An element with as much of a browser's as the views use. */
export class FakeElement {
  hidden = false;
  open = false;
  value = "";
  readonly #name: string;
  readonly #attributes = new Map<string, string>();
  readonly #listeners = new Map<string, () => void>();
  #children: readonly (FakeElement | string)[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  setAttribute(key: string, value: string): void {
    this.#attributes.set(key, value);
  }

  set className(value: string) {
    this.setAttribute("class", value);
  }

  set textContent(text: string) {
    this.replaceChildren(text);
  }

  append(...children: (FakeElement | string)[]): void {
    this.#children = [...this.#children, ...children];
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.#children = children;
  }

  addEventListener(event: string, listener: () => void): void {
    this.#listeners.set(event, listener);
  }

  /** Does what a person's action does. */
  happen(event: string): void {
    const listener = this.#listeners.get(event);
    if (!listener) throw new Error(`nobody listens to ${event}`);
    listener();
  }

  /** Returns the elements in it with a name, in their order. */
  all(name: string): FakeElement[] {
    return this.#children.flatMap((child) => {
      if (typeof child === "string") return [];
      return [...(child.#name === name ? [child] : []), ...child.all(name)];
    });
  }

  /** What is in it, as HTML without escapes. */
  get inside(): string {
    return this.#children.join("");
  }

  toString(): string {
    const attributes = [...this.#attributes].map(([key, value]) => ` ${key}="${value}"`);
    return `<${this.#name}${attributes.join("")}>${this.inside}</${this.#name}>`;
  }
}

const page = readFileSync(join(import.meta.dirname, "../../../cli/page/page.html"), "utf8");

/** Puts a document with the elements of the page into the place of a browser's. Returns the element with an id. */
export function fakeDocument(): (id: string) => FakeElement {
  const ids = [...page.matchAll(/<([\w-]+) [^>]*?\bid="([\w-]+)"/g)];
  const elements = new Map(ids.map(([, name = "", id = ""]) => [id, new FakeElement(name)]));
  vi.stubGlobal("document", {
    getElementById: (id: string) => elements.get(id) ?? null,
    createElement: (name: string) => new FakeElement(name),
    importNode: (node: unknown, isDeep: boolean) => (isDeep ? node : ""),
  });
  // A test looks at the drawing's text: a browser must parse it as XML.
  const parse = (text: string, type: string) => ({ documentElement: `${type}: ${text}` });
  vi.stubGlobal(
    "DOMParser",
    class {
      parseFromString = parse;
    },
  );
  return (id) => {
    const found = elements.get(id);
    if (!found) throw new Error(`the page has no #${id}`);
    return found;
  };
}
