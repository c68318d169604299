import { diffArrays } from "diff";
import type { LeftOut, Plan, Splice } from "../../shared/call/plan.ts";
import { inOrder } from "../../shared/protocol/json.ts";
import type { Call } from "../live/libcni.ts";
import { type Colors, oneLine, styled, type Terminal } from "../terminal.ts";
import { type Explanation, hasPassed, type RehearsedRun, type Step } from "./explain.ts";
import { jsonLines } from "./json-lines.ts";

type Screen = Pick<Terminal, "hasColors" | "width">;

const indent = "   ";

/** Writes an explanation for people, step by step. */
export function explanationText(explanation: Explanation, screen: Screen): string {
  const { list, verb, attachment, steps, notSent } = explanation;
  const of = `container ${attachment.containerId}, interface ${attachment.ifName}`;
  const title = `${verb} in the network ${list.name ?? ""}: ${of}`;
  if (notSent !== undefined)
    return `${styled(screen, "bold", oneLine(title))}\n\nA runtime does not send it: ${notSent}.\n`;
  const parts = steps.map((step, index) => [headingOf(step, index, screen), ...bodyOf(step, screen)]);
  const blocks = [[styled(screen, "bold", title), ...legendOf(explanation)], ...parts, lastLines(explanation, screen)];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${oneLine(line)}\n`).join(""))
    .join("\n");
}

function legendOf({ added }: Explanation): string[] {
  const runs = added.flatMap((step) => step.runs);
  const isExample = runs.some(({ answer }) => answer.output !== undefined);
  const invented = "The answers to ADD are examples: their MACs, random names and addresses are invented.";
  return ["- the runtime gave it, + the plugin gets it instead.", ...(isExample ? [invented] : [])];
}

function headingOf({ plugin }: Step, index: number, screen: Screen): string {
  const { type, delegate, isWrapped, role, ifName } = plugin;
  const runs = delegate !== type ? ` runs ${delegate}` : "";
  const does = role === "meta" ? [`acts on ${ifName}`] : role === "creator" ? [`makes ${ifName}`] : [];
  const about = [...does, ...(isWrapped ? [] : ["not wrapped"])];
  return styled(screen, "bold", `${index + 1}. ${type}${runs}${about.length > 0 ? ` (${about.join(", ")})` : ""}`);
}

function bodyOf(step: Step, screen: Screen): string[] {
  const { runs, warnings } = step;
  return [
    ...runs.flatMap((run) => [...givenLines(step, run, screen), ...answerLines(run, step, screen)]),
    ...wordsOf(step).map((words) => indent + words),
    ...warnings.map((warning) => indent + styled(screen, "yellow", `Warning: ${warning}`)),
    ...resultLines(step, screen),
  ];
}

function wordsOf({ plan, runs, answer }: Step): string[] {
  if (answer.exitCode === 0) return planWords(plan);
  const [first] = runs;
  if (!first) return ["The wrapper refuses the call, and the plugin does not run."];
  if (first.answer.exitCode !== 0) return [];
  return ["The wrapper refuses the answer. It runs the plugin's DEL, so that nothing is left."];
}

/** The variables and the stdin of a plugin. */
function givenLines({ plugin, given }: Step, run: RehearsedRun, screen: Screen): string[] {
  if (!plugin.isWrapped) return block(`${run.plugin} gets, exactly as the runtime gave it:`, jsonOf(run.stdin, screen));
  const changed = lineDifferences(variables(given), variables(run)).filter(({ sign }) => sign !== " ");
  const environment = changed.length === 0 ? ["The variables do not change."] : paint(changed, screen);
  // The same keys are in the same places of both texts.
  const configuration = jsonDifferences(inOrder(given.stdin), inOrder(run.stdin), roomOn(screen));
  return [...environment.map((line) => indent + line), ...block(`${run.plugin} gets:`, paint(configuration, screen))];
}

function variables({ environment }: Call): string[] {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}

function answerLines({ plugin, answer }: RehearsedRun, { given }: Step, screen: Screen): string[] {
  if (answer.output === undefined) {
    const passes = given.environment.CNI_COMMAND === "CHECK" ? " if it finds no fault" : "";
    return [`${indent}${plugin} prints nothing${passes}.`];
  }
  if (answer.exitCode !== 0) return block(`${plugin} fails:`, jsonOf(answer.output, screen));
  const chosen = answer.chosenBy === undefined ? "" : `; ${answer.chosenBy} chooses the real address`;
  return block(`${plugin} returns (example${chosen}):`, jsonOf(answer.output, screen));
}

/** The answer for the runtime, if it is not the plugin's own. */
function resultLines({ given, runs, answer }: Step, screen: Screen): string[] {
  const own = runs.at(-1)?.answer.output;
  if (answer.output === undefined || JSON.stringify(own) === JSON.stringify(answer.output)) return [];
  if (answer.exitCode !== 0) return block("The runtime gets an error:", jsonOf(answer.output, screen));
  const changes = jsonDifferences(given.stdin.prevResult ?? {}, answer.output, roomOn(screen));
  if (changes.every(({ sign }) => sign === " ")) return [`${indent}The runtime gets prevResult again, unchanged.`];
  return block("The runtime gets (- prevResult before, + now):", paint(abridged(changes), screen));
}

function block(title: string, lines: readonly string[]): string[] {
  return [title, ...lines].map((line) => indent + line);
}

function jsonOf(value: unknown, screen: Screen): string[] {
  return jsonLines(value, roomOn(screen)).map((line) => `  ${line}`);
}

function roomOn({ width }: Screen): number {
  return width - indent.length - 4;
}

function lastLines({ verb, list, steps }: Explanation, screen: Screen): string[] {
  const last = steps.at(-1);
  if (!last || hasPassed(last)) return [];
  const rest = list.plugins.length - steps.length;
  const others = rest > 0 ? ` The runtime does not call the other plugins (${rest}).` : "";
  return [styled(screen, "red", `${verb} fails at ${last.plugin.type}.${others}`)];
}

/** A line of a text that is compared with another: removed, added, or in both. */
interface Line {
  readonly sign: "-" | "+" | " ";
  readonly text: string;
}

/** Compares two JSON values line by line. A comma at the end of a line does not count. */
function jsonDifferences(before: unknown, after: unknown, width: number): Line[] {
  return lineDifferences(jsonLines(before, width), jsonLines(after, width));
}

/** Compares two texts line by line. */
function lineDifferences(before: string[], after: string[]): Line[] {
  const isSame = (one: string, other: string): boolean => one.replace(/,$/, "") === other.replace(/,$/, "");
  return diffArrays(before, after, { comparator: isSame }).flatMap(({ added, removed, value }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return value.map((text): Line => ({ sign, text }));
  });
}

/** Returns the lines without the middle of a long part that is in both. */
export function abridged(lines: readonly Line[]): Line[] {
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(index - 2, 0), index + 3).some(({ sign }) => sign !== " ");
  return lines.flatMap((line, index) => {
    if (isNear(index)) return [line];
    return index === 0 || isNear(index - 1) ? [{ sign: " ", text: "⋮" } as const] : [];
  });
}

const styles = { "-": "red", "+": "green", " ": "dim" } as const;

/** Writes compared lines with their signs, in colors if the terminal has them. */
function paint(lines: readonly Line[], terminal: Colors): string[] {
  return lines.map(({ sign, text }) => styled(terminal, styles[sign], `${sign} ${text}`));
}

/** Says in sentences how a wrapper acts on a plan. */
function planWords(plan: Plan | undefined): string[] {
  switch (plan?.do) {
    case undefined:
      return [];
    case "handOver":
    case "checkTwice": {
      const network = plan.do === "checkTwice" ? plan.network : undefined;
      const again = `If it fails, it runs again in the network ${network}, and that answer counts.`;
      const words = [...filterWords(plan.call), ...(plan.leftOut ?? []).map((one) => leftOutWords[one]), ownAnswer];
      return network === undefined ? words : [...words, again];
    }
    case "add":
      return [...filterWords(plan.call), spliceWords(plan.splice)];
    case "undo": {
      const entries = plan.entries.map(({ type, ifName }) => `${type} of ${ifName}`).join(", ") || "nothing";
      return [`The wrapper undoes ${entries}, the last one first.`, ...(plan.own ? [ownAnswer] : [])];
    }
    case "remove":
      return plan.removals.length === 0
        ? ["There is nothing to run: nothing says that the plugin made anything."]
        : ["No journal has the plugin, so DEL follows the runtime's result.", ownAnswer];
    case "collect":
      return ["Before that, the wrapper undoes the journals of attachments that are no longer valid.", ownAnswer];
    default:
      return plan satisfies never;
  }
}

const ownAnswer = "The runtime gets the plugin's own answer.";

const leftOutWords: Readonly<Record<LeftOut, string>> = {
  MAC: "The plugin gets the MAC of its device only if somebody has set it: otherwise it follows the device's ports.",
  "routers' addresses":
    "The addresses that came from routers are no plugin's, and the kernel renews them, so CHECK gets none of them.",
  "routes of other tables":
    "The plugin looks for routes only in the main table, so the wrapper looks for those that the list puts into another one.",
  "joined routes":
    "The kernel makes one route of several to an IPv6 network, so the wrapper looks for the gateways, and CHECK gets no route that it found.",
  "moved routes":
    "The routes that a plugin such as sbr or vrf moved are where it moved them, so CHECK gets none of them.",
};

function filterWords({ filter }: { readonly filter?: unknown }): string[] {
  return filter ? ["The wrapper.jq program has rewritten the configuration."] : [];
}

function spliceWords(splice: Splice): string {
  switch (splice.as) {
    case "only":
      return ownAnswer;
    case "first":
      return `The runtime gets the plugin's answer. It begins the result with ${splice.selector.ifName}.`;
    case "creator":
      return `The wrapper appends the answer to prevResult: ${splice.selector.ifName} comes after the other interfaces.`;
    case "meta":
      return `The wrapper puts the answer back into prevResult as ${splice.selector.ifName}.`;
    default:
      return splice satisfies never;
  }
}
