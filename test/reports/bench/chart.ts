/** A group of bars under one title. */
export interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Our bars have another color. */
  readonly isOurs: boolean;
}

const size = { width: 760, bar: 18, step: 24, left: 150, right: 80, heading: 34, foot: 30 };
const font = 'font-family="sans-serif" font-size="12"';

/** Draws horizontal bars on a logarithmic scale, in milliseconds, as SVG. */
export function chartOf(title: string, groups: readonly Group[]): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const [lowest, highest] = decades(values);
  const place = (value: number) =>
    size.left + ((size.width - size.left - size.right) * Math.log10(value / lowest)) / Math.log10(highest / lowest);
  const height = groups.reduce((sum, { bars }) => sum + size.heading + bars.length * size.step, 30) + size.foot;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(10, 20, title, 'font-weight="bold"'),
    ...scale(lowest, highest, place, height),
    ...groups.flatMap((group, index) => drawn(group, topOf(groups, index), place)),
    "</svg>",
    "",
  ].join("\n");
}

/** The powers of ten around all values. */
export function decades(values: readonly number[]): [number, number] {
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const highest = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  return [lowest, Math.max(highest, lowest * 10)];
}

function topOf(groups: readonly Group[], index: number): number {
  return groups.slice(0, index).reduce((sum, { bars }) => sum + size.heading + bars.length * size.step, 30);
}

type Place = (value: number) => number;

function scale(lowest: number, highest: number, place: Place, height: number): string[] {
  const count = Math.round(Math.log10(highest / lowest)) + 1;
  return Array.from({ length: count }, (_, index) => lowest * 10 ** index).flatMap((value) => {
    const x = place(value).toFixed(1);
    const line = `<line x1="${x}" y1="36" x2="${x}" y2="${height - size.foot}" stroke="#dddddd"/>`;
    return [line, text(Number(x), height - 12, `${round(value)} ms`, 'text-anchor="middle" fill="#666666"')];
  });
}

function drawn({ title, bars }: Group, top: number, place: Place): string[] {
  const lines = bars.flatMap(({ label, value, isOurs }, index) => {
    const y = top + size.heading + index * size.step;
    const width = (place(value) - size.left).toFixed(1);
    return [
      text(size.left - 8, y + 13, label, 'text-anchor="end"'),
      `<rect x="${size.left}" y="${y}" width="${width}" height="${size.bar}" fill="${isOurs ? "#2f6f9f" : "#b9c4cc"}"/>`,
      text(place(value) + 6, y + 13, `${round(value)} ms`),
    ];
  });
  return [text(10, top + 24, title, 'font-weight="bold"'), ...lines];
}

function text(x: number, y: number, words: string, more = ""): string {
  return `<text x="${x.toFixed(1)}" y="${y}" ${font}${more && ` ${more}`}>${escaped(words)}</text>`;
}

function round(value: number): string {
  return value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
