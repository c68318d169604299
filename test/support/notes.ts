/** The notes under a table. The cells refer to each text by its number. */
export class Notes {
  readonly #texts: string[] = [];

  /** A cell's words with the numbers of its notes. */
  mark(words: string, ...texts: readonly string[]): string {
    if (texts.length === 0) return words;
    return `${words} (${texts.map((text) => this.#numberOf(text)).join(", ")})`;
  }

  /** The notes as a Markdown list. */
  list(): string {
    return this.#texts.map((text, index) => `${index + 1}. ${text}`).join("\n");
  }

  #numberOf(text: string): number {
    if (!this.#texts.includes(text)) this.#texts.push(text);
    return this.#texts.indexOf(text) + 1;
  }
}
