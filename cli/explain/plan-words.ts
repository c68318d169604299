import type { Effect, Plan, Removal, Splice } from "../../shared/call/plan.ts";

/** Says in sentences how a wrapper acts on a plan. */
export function planWords(plan: Plan | undefined): string[] {
  switch (plan?.do) {
    case undefined:
    case "fail":
      return [];
    case "handOver": {
      const { fallback, effects } = plan;
      const again = `If it fails, it runs again in the network ${fallback?.configuration?.name}, and that answer counts.`;
      return [...effects.map(effectWords), "The runtime gets the plugin's own answer.", ...(fallback ? [again] : [])];
    }
    case "splice": {
      const { call, splice, routing } = plan;
      return [
        ...(call.filter ? [filterWords] : []),
        spliceWords(splice),
        ...(routing ? ["The wrapper records the moved routes, so that CHECK finds them."] : []),
      ];
    }
    case "remove":
      return [...plan.removals.flatMap(removalWords), "The runtime gets the plugin's own answer."];
    case "printVersions":
      return ["The wrapper answers itself."];
    default:
      return plan satisfies never;
  }
}

const filterWords = "The wrapper.jq program has rewritten the configuration.";

function effectWords(effect: Effect): string {
  switch (effect.do) {
    case "warn":
      return `Warning: ${effect.message}.`;
    case "applyFilter":
      return filterWords;
    case "collectGarbage":
      return "Before that, the wrapper removes what it recorded of attachments that are no longer valid.";
    case "compareFixedMac":
      return `The plugin gets the MAC of ${effect.mac.device} only if it is fixed. A MAC that follows the ports is left out.`;
    case "followMovedRoutes":
      return "If a plugin such as sbr or vrf moved routes, CHECK looks for them in their new table.";
    default:
      return effect satisfies never;
  }
}

function spliceWords(splice: Splice): string {
  switch (splice.as) {
    case "only":
      return "The runtime gets the plugin's own answer.";
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

function removalWords({ call, again, forget, notes }: Removal): string[] {
  return [
    ...notes.map((note) => `Warning: ${note}.`),
    ...(call ? [] : ["There is nothing to run."]),
    ...(again ? ["If it fails, it runs once more: the list's interfaces share a chain of rules."] : []),
    ...(forget.length > 0 ? ["After that, the wrapper deletes its record of the interface."] : []),
  ];
}
