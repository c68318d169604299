import type { LeftOut, Plan, Splice } from "../../shared/call/plan.ts";

/** Says in sentences how a wrapper acts on a plan. */
export function planWords(plan: Plan | undefined): string[] {
  switch (plan?.do) {
    case undefined:
      return [];
    case "handOver":
      return [...filterWords(plan.call), ...(plan.leftOut ?? []).map((one) => leftOutWords[one]), ownAnswer];
    case "checkTwice": {
      const { call, network, leftOut } = plan;
      const again = `If it fails, it runs again in the network ${network}, and that answer counts.`;
      return [
        ...filterWords(call),
        ...leftOut.map((one) => leftOutWords[one]),
        ownAnswer,
        ...(network === undefined ? [] : [again]),
      ];
    }
    case "add":
      return [...filterWords(plan.call), spliceWords(plan.splice)];
    case "undo":
      return [`The wrapper undoes ${entryWords(plan.entries)}, the last one first.`, ...(plan.own ? [ownAnswer] : [])];
    case "remove":
      return plan.removals.length === 0
        ? ["There is nothing to run: nothing says that the plugin made anything."]
        : ["No journal has the plugin, so DEL follows the runtime's result.", ownAnswer];
    case "collect":
      return ["Before that, the wrapper undoes the journals of attachments that are no longer valid.", ownAnswer];
    case "printVersions":
      return ["The wrapper answers itself."];
    default:
      return plan satisfies never;
  }
}

const ownAnswer = "The runtime gets the plugin's own answer.";

const leftOutWords: Readonly<Record<LeftOut, string>> = {
  MAC: "The plugin gets the MAC of its device only if somebody has set it: otherwise it follows the device's ports.",
  "moved routes":
    "The routes that a plugin such as sbr or vrf moved are where it moved them, so CHECK gets none of them.",
};

function filterWords({ filter }: { readonly filter?: unknown }): string[] {
  return filter ? ["The wrapper.jq program has rewritten the configuration."] : [];
}

function entryWords(entries: readonly { readonly type: string; readonly ifName: string }[]): string {
  return entries.map(({ type, ifName }) => `${type} of ${ifName}`).join(", ") || "nothing";
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
