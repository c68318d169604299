/** The hosts on which an operator runs a block of the runbook's commands. */
export type Place = "your machine" | "every client";

/** Commands of the runbook. */
export interface Step {
  /** The heading above. */
  readonly title: string;
  readonly place: Place;
  readonly commands: string;
  /** What the page shows below; undefined if it shows nothing. */
  readonly output: string | undefined;
}

/** Returns the blocks of a page in its order. A line above each block tells where its commands run. */
export function stepsOf(page: string): readonly Step[] {
  return page.split(/^## /m).flatMap((section) => {
    const [title = ""] = section.split("\n");
    const blocks = section.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)\n```$)?/gms);
    return [...blocks].map(({ 1: commands = "", 2: output, index }) => {
      return { title, place: placeAbove(section, index), commands, output };
    });
  });
}

const places: readonly Place[] = ["your machine", "every client"];

function placeAbove(section: string, index: number): Place {
  const [, named] = /\nOn (.*):\n\n$/.exec(section.slice(0, index)) ?? [];
  const place = places.find((one) => one === named);
  if (place === undefined)
    throw new Error(`no line says where these commands run: ${section.slice(index, index + 80)}`);
  return place;
}
