/** One half of the picture. */
interface Panel {
  readonly title: string;
  readonly plugins: readonly Box[];
}

interface Box {
  readonly type: string;
  /** The plugin inside a wrapper. */
  readonly delegate?: string;
  /** The interfaces that the plugin sees. */
  readonly gets: readonly Interface[];
  readonly passes: boolean;
  readonly outcome: string;
}

interface Interface {
  readonly name: "eth0" | "eth1";
  readonly address: string;
}

const eth0: Interface = { name: "eth0", address: "172.16.5.2" };
const eth1: Interface = { name: "eth1", address: "172.26.64.2" };
const both = [eth0, eth1];

const panels: readonly Panel[] = [
  {
    title: "Without the wrappers",
    plugins: [
      { type: "macvlan", gets: both, passes: false, outcome: "no 172.26.64.2 on eth0" },
      { type: "bridge", gets: both, passes: false, outcome: "no 172.16.5.2 on eth1" },
    ],
  },
  {
    title: "With the wrappers",
    plugins: [
      { type: "macvlan-wrapper", delegate: "macvlan", gets: [eth0], passes: true, outcome: "CHECK passes" },
      { type: "bridge-wrapper", delegate: "bridge", gets: [eth1], passes: true, outcome: "CHECK passes" },
    ],
  },
];

// The colors follow the reader's theme: an SVG in an <img> has media queries of its own.
const style = `
  text { font: 14px sans-serif; fill: #1f2328; }
  .title { font-weight: bold; font-size: 16px; }
  .page { fill: #ffffff; }
  .box { fill: #f6f8fa; stroke: #57606a; }
  .inner { fill: #ffffff; stroke: #57606a; }
  .line { stroke: #57606a; stroke-width: 1.5; fill: none; }
  .eth0 { fill: #cfe4ff; stroke: #0550ae; }
  .eth1 { fill: #ffe0bf; stroke: #953800; }
  .good { fill: #116329; }
  .bad { fill: #a40e26; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; }
    .box { fill: #161b22; stroke: #8b949e; }
    .inner { fill: #0d1117; stroke: #8b949e; }
    .line { stroke: #8b949e; }
    .eth0 { fill: #0c2d6b; stroke: #79c0ff; }
    .eth1 { fill: #5a1e02; stroke: #ffa657; }
    .good { fill: #56d364; }
    .bad { fill: #ff7b72; }
  }
`;

const size = { width: 880, height: 320, panel: 420, gap: 20, box: 190, chip: 150 };

/** Draws the README's picture as SVG: what each plugin of a list gets on CHECK, without and with the wrappers. */
export function chainPicture(): string {
  const title = "CHECK of one container with two interfaces, without and with the wrappers";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    rectangle(0, 0, size.width, size.height, "page", 0),
    ...panels.flatMap((panel, index) => drawPanel(panel, index * (size.panel + size.gap) + size.gap / 2)),
    "</svg>",
    "",
  ].join("\n");
}

function drawPanel({ title, plugins }: Panel, left: number): string[] {
  return [
    words(left + 10, 28, title, "title"),
    rectangle(left + 10, 44, size.panel - 20, 66, "box"),
    words(left + 22, 64, "CHECK: the result of the whole list (prevResult)"),
    ...both.map((one, index) => chip(one, left + 22 + index * (size.chip + 14), 74)),
    ...plugins.flatMap((plugin, index) => drawPlugin(plugin, left + 10 + index * (size.box + 20))),
  ];
}

function drawPlugin({ type, delegate, gets, passes, outcome }: Box, left: number): string[] {
  const middle = left + size.box / 2;
  const inside = delegate === undefined ? [] : [rectangle(left + 10, 170, size.box - 20, 100, "inner")];
  return [
    `<path class="line" d="M${middle} 110 V138 m-5 -8 l5 8 l5 -8"/>`,
    rectangle(left, 140, size.box, 140, "box"),
    words(left + 12, 161, type, "title"),
    ...inside,
    words(left + 20, 190, `${delegate ?? "it"} gets`),
    ...gets.map((one, index) => chip(one, left + 20, 198 + index * 34)),
    words(left, 306, `${passes ? "✓" : "✗"} ${outcome}`, passes ? "good" : "bad"),
  ];
}

function chip({ name, address }: Interface, left: number, top: number): string {
  return `${rectangle(left, top, size.chip, 28, name, 14)}\n${words(left + 12, top + 19, `${name} ${address}`)}`;
}

function rectangle(x: number, y: number, width: number, height: number, kind: string, radius = 6): string {
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
}

function words(x: number, y: number, text: string, kind?: string): string {
  return `<text x="${x}" y="${y}"${kind ? ` class="${kind}"` : ""}>${text}</text>`;
}
