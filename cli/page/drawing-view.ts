import { drawing } from "../explain/drawing.ts";
import { exampleAttachment } from "../explain/model-answers.ts";
import { isRewritten } from "../lists/list.ts";
import type { Answers } from "./answers.ts";
import { byId, show } from "./elements.ts";

/** Shows what the list's ADD makes. */
export function showDrawing({ list }: Answers): void {
  const isKnown = list !== undefined && !list.plugins.some(isRewritten);
  const svg = isKnown ? drawing(list, exampleAttachment(list)) : "";
  show("drawing-part", svg !== "");
  byId("drawing").replaceChildren(...(svg === "" ? [] : [imageOf(svg)]));
}

// The XML parser takes no markup that only HTML knows.
function imageOf(svg: string): Node {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}
