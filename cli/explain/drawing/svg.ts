import { printable } from "../../terminal.ts";
import type { Drawn, Scene } from "./scene.ts";

// The colors follow the reader's theme: an SVG in an <img> has media queries of its own.
const style = `
  text { font: 14px monospace; fill: #1f2328; }
  .title { font: bold 16px sans-serif; }
  .note { font: 12px sans-serif; fill: #57606a; }
  .page { fill: #ffffff; }
  .box { fill: #f6f8fa; stroke: #57606a; }
  .device { fill: #ffffff; stroke: #57606a; }
  .line { stroke: #57606a; stroke-width: 1.5; fill: none; }
  .c0 { fill: #cfe4ff; stroke: #0550ae; }
  .c1 { fill: #ffe0bf; stroke: #953800; }
  .c2 { fill: #d2f4d3; stroke: #116329; }
  .c3 { fill: #ecd8ff; stroke: #6639ba; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #8b949e; }
    .page { fill: #0d1117; }
    .box { fill: #161b22; stroke: #8b949e; }
    .device { fill: #0d1117; stroke: #8b949e; }
    .line { stroke: #8b949e; }
    .c0 { fill: #0c2d6b; stroke: #79c0ff; }
    .c1 { fill: #5a1e02; stroke: #ffa657; }
    .c2 { fill: #04260f; stroke: #56d364; }
    .c3 { fill: #271052; stroke: #d2a8ff; }
  }
`;

const colors = 4;
/** Pixels. A character of the 14px monospace font is at most 8.5 wide. */
const size = { character: 8.5, line: 20, chip: 28, gap: 16, margin: 20, top: 84 };

/** The columns of the picture, in pixels from the left. */
interface Columns {
  readonly host: number;
  readonly hostWidth: number;
  readonly inside: number;
  readonly insideWidth: number;
  readonly width: number;
}

/** Draws an attachment as an SVG, for light and dark pages. */
export function svgPicture(scene: Scene): string {
  const columns = columnsOf(scene);
  const tops = topsOf(scene);
  const bottom = tops.at(-1) ?? size.top;
  const height = bottom + size.margin + (scene.isExample ? size.line : 0);
  const boxHeight = bottom - 44;
  const title = `Container ${scene.container} in the network ${scene.network}`;
  const note = "An example: names and addresses are invented.";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${columns.width}" height="${height}" viewBox="0 0 ${columns.width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    rectangle(0, 0, columns.width, height, "page", 0),
    words(size.margin, 28, title, "title"),
    rectangle(columns.host, 44, columns.hostWidth, boxHeight, "box"),
    rectangle(columns.inside, 44, columns.insideWidth, boxHeight, "box"),
    words(columns.host + size.gap, 66, "host", "note"),
    words(columns.inside + size.gap, 66, "container", "note"),
    ...drawInterfaces(scene, tops, columns),
    ...(scene.isExample ? [words(size.margin, bottom + size.line, note, "note")] : []),
    "</svg>",
    "",
  ].join("\n");
}

function columnsOf({ container, network, interfaces }: Scene): Columns {
  const hostWidth =
    Math.max(120, ...interfaces.map((one) => Math.max(chainWidth(one), ...one.ports.map(widthOf)))) + 2 * size.gap;
  const link = Math.max(...interfaces.map(({ maker = "" }) => widthOf(maker))) + 48;
  const insideWidth =
    Math.max(160, ...interfaces.flatMap((one) => [one.ifName, ...rightWords(one)].map(widthOf))) + 3 * size.gap;
  const inside = size.margin + hostWidth + link;
  const titleWidth = 2 * size.margin + (`Container ${container} in the network ${network}`.length + 2) * 9.5;
  const width = Math.ceil(Math.max(inside + insideWidth + size.margin, titleWidth));
  return { host: size.margin, hostWidth, inside, insideWidth, width };
}

/** The top of each interface, and the bottom of the last one. */
function topsOf({ interfaces }: Scene): number[] {
  const tops = [size.top];
  for (const one of interfaces) {
    const lines = Math.max(one.ports.length, rightWords(one).length);
    tops.push((tops.at(-1) ?? 0) + size.chip + lines * size.line + size.gap);
  }
  return tops;
}

function drawInterfaces({ interfaces }: Scene, tops: readonly number[], columns: Columns): string[] {
  const known = new Map<string, Place>();
  return interfaces.flatMap((one, index) => drawInterface(one, index, { top: tops[index] ?? 0, columns, known }));
}

interface Place {
  readonly x: number;
  readonly bottom: number;
}

interface Around {
  readonly top: number;
  readonly columns: Columns;
  /** The devices that are drawn already. */
  readonly known: Map<string, Place>;
}

function drawInterface(one: Drawn, index: number, { top, columns, known }: Around): string[] {
  const color = `c${index % colors}`;
  const middle = top + size.chip / 2;
  const right = columns.host + columns.hostWidth - size.gap;
  const link =
    one.devices.length > 0 ? [`<path class="line" d="M${right} ${middle} H${columns.inside + size.gap}"/>`] : [];
  const between = (columns.host + columns.hostWidth + columns.inside) / 2 - widthOf(one.maker ?? "") / 2;
  const under = (lines: readonly string[], left: number): string[] =>
    lines.map((text, i) => words(left, top + size.chip + (i + 1) * size.line - 4, text));
  return [
    ...link,
    ...drawDevices(one.devices, right, top, known),
    ...(one.maker === undefined ? [] : [words(between, middle - 6, one.maker)]),
    ...under(one.ports, columns.host + size.gap),
    chip(one.ifName, columns.inside + size.gap, top, color),
    ...under(rightWords(one), columns.inside + 2 * size.gap),
  ];
}

/**
 * The devices from right to left. The last one is next to the container. A device that another interface uses, too, is drawn
 * once, and a line leads to it.
 */
function drawDevices(devices: readonly string[], right: number, top: number, known: Map<string, Place>): string[] {
  const middle = top + size.chip / 2;
  let edge = right;
  return devices.toReversed().flatMap((name, index) => {
    const drawn = known.get(name);
    if (drawn !== undefined) return [`<path class="line" d="M${drawn.x} ${drawn.bottom} V${middle} H${edge}"/>`];
    const end = index > 0 ? edge - size.gap : edge;
    const joint = index > 0 ? [`<path class="line" d="M${end} ${middle} h${size.gap}"/>`] : [];
    edge = end - chipWidth(name);
    known.set(name, { x: end - size.gap, bottom: top + size.chip });
    return [...joint, chip(name, edge, top, "device")];
  });
}

function rightWords({ addresses, acting }: Drawn): string[] {
  return [...addresses, ...acting.map((type) => `(${type})`)];
}

function chainWidth({ devices }: Drawn): number {
  return devices.reduce((sum, name) => sum + chipWidth(name) + size.gap, 0);
}

function chipWidth(text: string): number {
  return widthOf(text) + 24;
}

function widthOf(text: string): number {
  return text.length * size.character;
}

function chip(text: string, left: number, top: number, kind: string): string {
  return `${rectangle(left, top, chipWidth(text), size.chip, kind, 14)}\n${words(left + 12, top + 19, text)}`;
}

function rectangle(x: number, y: number, width: number, height: number, kind: string, radius = 6): string {
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
}

function words(x: number, y: number, text: string, kind?: string): string {
  return `<text x="${x}" y="${y}"${kind ? ` class="${kind}"` : ""}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  const visible = printable(text);
  return visible.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
