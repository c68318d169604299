import { addressIn } from "../../shared/attachment/subnet.ts";
import type { List } from "../lists/list.ts";
import type { AttachmentParameters } from "../live/libcni.ts";
import { type Link, Machine } from "../model/machine.ts";
import { isIn } from "../model/network.ts";
import { publishedPorts } from "../model/portmap.ts";
import { ListRun, NotKnown } from "./list-run.ts";
import { exampleSource } from "./model-answers.ts";
import { refusalOf } from "./verdict.ts";

/** A device of the host, and the container's interfaces that hang on it. */
export interface Device extends Pick<SceneInterface, "kind" | "addresses"> {
  /** Undefined for interfaces that have no other end on the host. */
  readonly name: string | undefined;
  readonly interfaces: readonly SceneInterface[];
}

/** An interface of the container. */
interface SceneInterface {
  readonly name: string;
  readonly kind: string;
  readonly addresses: readonly string[];
  /** Who reaches it, in words. */
  readonly reach: string;
}

/** What is there after a list's first ADD, whether it passed or not. */
export type Scene = ReturnType<typeof sceneOf>;

/** Returns what a list's ADD makes on a host of the model. `notRun` are the types of the plugins that did not run. */
export function sceneOf(list: List, attachment: AttachmentParameters) {
  const machine = new Machine();
  const { containerId: id } = attachment;
  const namespace = machine.addNamespace(`/run/netns/${id}`);
  const end = endOf(list, () => new ListRun(list, machine, exampleSource(attachment, undefined, machine)).add(id));
  const devices = new Map<string, Device>();
  const add = (key: string, device: Omit<Device, "interfaces">, one: SceneInterface[]) => {
    devices.set(key, { ...device, interfaces: [...(devices.get(key)?.interfaces ?? []), ...one] });
  };
  for (const [name, link] of namespace.links) {
    const host = deviceOf(machine, link, name);
    const reach = reachOf(link, host.addresses, host.name);
    add(host.name ?? `alone ${name}`, host, [{ name, kind: link.kind, addresses: link.addresses, reach }]);
  }
  for (const [name, { addresses }] of machine.bridges) {
    if (!devices.has(name)) add(name, { name, addresses, kind: "bridge" }, []);
  }
  const ports = publishedPorts(machine).map(({ port, to }) => `Port ${port} of the host leads to ${to}.`);
  const rest = end ? list.plugins.slice(end.plugin.index + 1) : [];
  return { devices: [...devices.values()], ports, end, notRun: rest.map(({ type }) => type) };
}

/** The plugin at which the ADD ended, with its words. */
function endOf({ plugins }: List, add: () => ReturnType<ListRun["add"]>) {
  try {
    const failure = add();
    const plugin = plugins[failure?.plugin ?? -1];
    return failure && plugin && { plugin, isKnown: true, message: failure.message };
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
    const plugin = plugins[error.plugin];
    return plugin && { plugin, isKnown: false, message: error.message };
  }
}

function deviceOf(machine: Machine, link: Link, name: string): Omit<Device, "interfaces"> {
  if (link.bridge !== undefined) {
    return { name: link.bridge, kind: "bridge", addresses: machine.bridges.get(link.bridge)?.addresses ?? [] };
  }
  if (link.hostEnd !== undefined) return { name: `veth of ${name}`, kind: "veth", addresses: [] };
  const master = link.attributes.get("master") || (link.kind.endsWith("vlan") ? machine.defaultDevice : undefined);
  if (master !== undefined) return { name: String(master), kind: "card", addresses: [] };
  const device = link.attributes.get("device");
  return { name: device === undefined ? device : String(device), kind: "card, in the container now", addresses: [] };
}

function reachOf({ kind, addresses, bridge }: Link, gateways: readonly string[], device: string | undefined): string {
  if (addresses.length === 0) return "It has no address.";
  const own = addresses.map(addressIn);
  const isOnBridge = own.every((one) => gateways.some((gateway) => isIn(gateway, one)));
  const isRouted = kind === "veth" && (bridge === undefined || isOnBridge);
  const names = own.join(" and ");
  if (isRouted) return `The host reaches ${names}.`;
  if (bridge !== undefined) return `The host has no address on ${bridge}: only what is on the bridge reaches ${names}.`;
  if (device === undefined) return `The host does not reach ${names}.`;
  return `The host does not reach ${names}: the network of ${device} does.`;
}

/**
 * Returns an SVG drawing of what a list's ADD makes: the host's devices, the container's interfaces, who reaches them, and the
 * plugin at which it ends. It has no script, style or reference: the classes are there to be styled. Empty if nothing is
 * there and no plugin is to blame, or if a runtime does not load the list.
 */
export function drawing(list: List, attachment: AttachmentParameters): string {
  if (refusalOf(list) !== undefined) return "";
  const scene = sceneOf(list, attachment);
  return scene.devices.length === 0 && !scene.end ? "" : svgOf(scene);
}

const width = 340;
const column = { host: 10, container: 204, width: 126 };
const line = 14;
/** Between boxes, and between a box and its text. */
const gap = 10;
/** How many characters fit. */
const room = { box: 19, note: 52 };

interface Box {
  readonly title: readonly string[];
  readonly lines: readonly string[];
  readonly kind: "part" | "bad" | "maybe";
}

function svgOf(scene: Scene): string {
  const parts: string[] = [];
  let y = 2 * gap + line;
  for (const device of scene.devices) y = drawDevice(parts, device, y);
  if (scene.end) {
    const { plugin, isKnown } = scene.end;
    const title = plugin.role === "meta" ? plugin.type : `${plugin.ifName}?`;
    const says = isKnown ? `${plugin.type} fails` : "not known";
    const box: Box = { title: inBox(title), lines: inBox(says), kind: isKnown ? "bad" : "maybe" };
    parts.push(boxOf(box, column.container, y));
    y += heightOf(box) + gap;
  }
  const frames = [frameOf("host", column.host, y), frameOf("container", column.container, y)];
  const notes = notesOf(scene);
  let at = y + gap + line;
  for (const { text, kind } of notes) {
    for (const one of wrap(text, room.note)) {
      parts.push(textOf(one, 4, at, kind));
      at += line;
    }
    at += 4;
  }
  const label = escaped(notes.map(({ text }) => text).join(" "));
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${at}" role="img" aria-label="${label}" class="drawing">`;
  return [open, ...frames, ...parts, "</svg>"].join("\n");
}

/** Draws a device with its interfaces beside it. Returns where the next one begins. */
function drawDevice(parts: string[], { name, kind, addresses, interfaces }: Device, top: number): number {
  const boxes = interfaces.map(partBox);
  const inside = boxes.reduce((sum, box) => sum + heightOf(box) + gap, 0);
  const host = name === undefined ? undefined : partBox({ name, kind, addresses });
  const outside = host ? heightOf(host) + gap : 0;
  if (host) parts.push(boxOf(host, column.host, top));
  let y = top;
  for (const box of boxes) {
    const middle = y + heightOf(box) / 2;
    if (host) parts.push(wireOf(Math.min(middle, top + heightOf(host) - 4), middle));
    parts.push(boxOf(box, column.container, y));
    y += heightOf(box) + gap;
  }
  return top + Math.max(inside, outside);
}

/** A wire from a device to an interface, by the heights of its ends. */
function wireOf(from: number, to: number): string {
  const [x1, x2] = [column.host + column.width, column.container];
  return `<line x1="${x1}" y1="${from}" x2="${x2}" y2="${to}" stroke="currentColor" class="d-wire"/>`;
}

function partBox({ name, kind, addresses }: Omit<SceneInterface, "reach">): Box {
  return { title: inBox(name), lines: [kind, ...addresses].flatMap(inBox), kind: "part" };
}

function inBox(text: string): string[] {
  return wrap(text, room.box);
}

function notesOf({ devices, ports, end, notRun }: Scene) {
  const reach = devices.flatMap(({ interfaces }) => interfaces.map((one) => `${one.name}: ${one.reach}`));
  const notes = [...reach, ...ports].map((text) => ({ text, kind: "note" }));
  const last = notRun.length > 0 ? ` Not run: ${notRun.join(", ")}.` : "";
  if (!end) return notes;
  // A wrapper's own messages end with a full stop; a plugin's do not.
  const words = `${end.isKnown ? `${end.plugin.type} fails` : "Not known"}: ${end.message.replace(/\.$/, "")}.`;
  return [...notes, { text: `${words}${last}`, kind: end.isKnown ? "bad" : "maybe" }];
}

function heightOf({ title, lines }: Box): number {
  return (title.length + lines.length) * line + gap;
}

function frameOf(title: string, x: number, bottom: number): string {
  const size = `width="${column.width + 12}" height="${bottom - 2}"`;
  const frame = `<rect x="${x - 6}" y="1" ${size} rx="6" fill="none" stroke="currentColor" class="d-box"/>`;
  return `${frame}${textOf(title, x, line + 1, "note")}`;
}

function boxOf({ title, lines, kind }: Box, x: number, y: number): string {
  const size = `width="${column.width}" height="${heightOf({ title, lines, kind })}"`;
  const frame = `<rect x="${x}" y="${y}" ${size} rx="4" fill="none" stroke="currentColor" class="d-${kind}"/>`;
  const texts = [...title, ...lines].map((one, index) =>
    textOf(one, x + 6, y + (index + 1) * line, index < title.length ? "title" : "text"),
  );
  return [frame, ...texts].join("");
}

function textOf(text: string, x: number, y: number, kind: string): string {
  const weight = kind === "title" ? ' font-weight="bold"' : "";
  return `<text x="${x}" y="${y}" font-size="11" font-family="sans-serif"${weight} fill="currentColor" class="d-${kind}">${escaped(text)}</text>`;
}

/** Breaks a text into lines of at most so many characters, inside of a word only if it is longer than that. */
function wrap(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).flatMap((one) => one.match(new RegExp(`.{1,${most}}`, "gu")) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** XML takes no control characters at all, escaped or not, and no half of a surrogate pair. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, "\ufffd")
    .replace(/[&<>"']/g, (one) => entities[one] ?? one);
}
