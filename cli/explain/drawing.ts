import type { Drawn, Scene } from "./scene.ts";

/** Draws an attachment with box characters, at most `width` characters wide. */
export function drawing(scene: Scene, width: number): string {
  const rows = scene.interfaces.map(rowOf);
  const [host, inside] = ["host", `container ${scene.container}`];
  const left = Math.max(host.length + 2, ...rows.flatMap((row) => row.left.map(({ length }) => length)));
  const middle = Math.max(...rows.map(({ maker }) => maker.length)) + 4;
  const spare = width - left - middle - 8;
  const longest = Math.max(inside.length + 2, ...rows.flatMap((row) => row.right.map(({ length }) => length)));
  // A list needs less room than two boxes.
  if (spare < longest) return listed(scene, width);
  const frame = { left, middle, right: longest };
  return [
    ends("┌", "┐", host, inside, frame),
    ...rows.flatMap((row, index) => [...(index > 0 ? [line("", "", "", frame)] : []), ...linesOf(row, frame)]),
    ends("└", "┘", "", "", frame),
    "",
  ].join("\n");
}

interface Row {
  readonly left: readonly string[];
  readonly maker: string;
  readonly right: readonly string[];
  /** Whether a device of the host leads to the interface. */
  readonly isLinked: boolean;
}

interface Frame {
  readonly left: number;
  readonly middle: number;
  readonly right: number;
}

function rowOf({ ifName, maker = "", devices, addresses, ports, acting }: Drawn): Row {
  const [first = "", ...others] = addresses;
  const pad = " ".repeat(ifName.length);
  return {
    left: [devices.join(" ─ "), ...ports],
    maker,
    right: [
      `${ifName}  ${first}`.trimEnd(),
      ...others.map((address) => `${pad}  ${address}`),
      ...acting.map((type) => `${pad}  (${type})`),
    ],
    isLinked: devices.length > 0,
  };
}

function linesOf({ left, maker, right, isLinked }: Row, frame: Frame): string[] {
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, index) => {
    const label = index > 0 ? "" : isLinked ? linkOf(maker, frame.middle) : centered(maker, frame.middle, " ");
    return line(left[index] ?? "", label, right[index] ?? "", frame, index === 0 && isLinked);
  });
}

function linkOf(maker: string, width: number): string {
  return centered(maker === "" ? "" : ` ${maker} `, width, "─");
}

function centered(text: string, width: number, fill: string): string {
  const before = Math.floor((width - text.length) / 2);
  return `${fill.repeat(before)}${text}${fill.repeat(width - text.length - before)}`;
}

function line(left: string, label: string, right: string, frame: Frame, isLinked = false): string {
  const [end, start] = isLinked ? ["├", "┤"] : ["│", "│"];
  return `│ ${left.padEnd(frame.left)} ${end}${label.padEnd(frame.middle)}${start} ${right.padEnd(frame.right)} │`;
}

function ends(from: string, to: string, left: string, right: string, frame: Frame): string {
  const edge = (title: string, width: number): string =>
    `${from}${title === "" ? "" : ` ${title} `}`.padEnd(width + 3, "─") + to;
  return `${edge(left, frame.left)}${" ".repeat(frame.middle)}${edge(right, frame.right)}`;
}

function listed({ container, interfaces }: Scene, width: number): string {
  const lines = interfaces.flatMap(({ ifName, maker, devices, addresses, ports, acting }) => [
    `├ ${ifName}${maker === undefined ? "" : ` (${maker})`}`,
    ...[...addresses, ...(devices.length > 0 ? [`on ${devices.join(" ─ ")}`] : []), ...ports, ...acting].map(
      (words) => `│   ${words}`,
    ),
  ]);
  return [`container ${container}`, ...lines, "└", ""].map((text) => clipped(text, width)).join("\n");
}

function clipped(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;
}
