import { type AddedInterface, addedInterfaces, addressesOf } from "../attachment/attachments.ts";
import { completeResult, orderResult, sharedAddress, spliceCreator, spliceMeta } from "../attachment/splice.ts";
import type { Target } from "../call/call.ts";
import type { Splice } from "../call/plan.ts";
import type { Bytes } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import { hasTooManyValues, isTooDeep, losesNumbers, parseJsonObject, tooManyValues } from "../protocol/json.ts";
import { resultProblem } from "../protocol/request.ts";
import { type CniResult, isChainVersion, isContainerInterface, listsInterface } from "../protocol/result.ts";
import { type RouterAddress, withRouterAddresses } from "./slaac.ts";

/** The answer to ADD for the runtime, and what the delegate made. */
export interface SplicedAnswer {
  /** Undefined if the runtime gets the delegate's answer unchanged. */
  readonly text: string | undefined;
  readonly addresses: readonly string[];
  /** Further container interfaces of the delegate. */
  readonly added: readonly AddedInterface[];
  /** The addresses from routers, which no plugin gave. */
  readonly routed: readonly string[];
}

/** The answer of a delegate, and the addresses from routers that its interface has got since. */
interface Answered {
  readonly stdout: Bytes;
  readonly found?: readonly RouterAddress[];
}

/**
 * Splices the answer of a delegate, with addresses from routers. Code 102 if it is invalid, 107 if it has an address that another
 * interface has.
 */
export function spliceAnswer(target: Target, splice: Splice, { stdout, found = [] }: Answered): SplicedAnswer {
  const { delegate } = target;
  const output = stdout.decodeUtf8() ?? "";
  const result = parseJsonObject(output);
  if (result === undefined) {
    const problem = tooMuch(output);
    if (problem !== undefined && splice.as === "only") return unchanged;
    throw new CniError("invalidDelegateOutput", delegate, problem ?? "it is not a JSON object");
  }
  const problem = resultProblem(result, "result") ?? versionProblem(result);
  // A plugin that is alone in its chain may return anything, as it can without a wrapper.
  if (problem !== undefined && splice.as === "only") return unchanged;
  if (problem !== undefined) throw new CniError("invalidDelegateOutput", delegate, problem);
  const whole = found.length > 0 ? withRouterAddresses(result, target.selector, found) : result;
  const text = splicedText(delegate, splice, { result, whole });
  return { text, ...madeBy(target, splice, result), routed: found.map(({ address }) => address) };
}

const unchanged: SplicedAnswer = { text: undefined, addresses: [], added: [], routed: [] };

/** Returns the runtime's result, or the delegate's own object if nothing changes. Code 107 for an address of two interfaces. */
export function spliceResult(splice: Splice, delegateResult: CniResult): CniResult {
  switch (splice.as) {
    case "only":
      return orderResult(delegateResult);
    case "first":
      return completeResult(delegateResult, splice.selector);
    case "creator": {
      // A renamed interface has its own leases, so two pools of one subnet may give the same address.
      const shared = sharedAddress(splice.prevResult, delegateResult, splice.selector);
      if (shared) throw new CniError("addressTaken", shared.address, `Interface ${shared.ifName} has it already`);
      return spliceCreator(splice.prevResult, delegateResult, splice.selector);
    }
    case "meta":
      return spliceMeta(splice, delegateResult);
    default:
      return splice satisfies never;
  }
}

/** Returns the runtime's answer; undefined if it is the delegate's own. */
function splicedText(
  delegate: string,
  splice: Splice,
  { result, whole }: { readonly result: CniResult; readonly whole: CniResult },
): string | undefined {
  try {
    const spliced = spliceResult(splice, whole);
    if (spliced === result) return undefined;
    const text = `${JSON.stringify(spliced, null, 4)}\n`;
    if (losesNumbers(spliced, text)) throw new CniError("invalidDelegateOutput", delegate, "a number is too large");
    return text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CniError("invalidDelegateOutput", delegate, "it is nested too deeply");
  }
}

/** The addresses of the attachment, and the container interfaces that the delegate made besides it. */
function madeBy({ role, selector }: Target, splice: Splice, result: CniResult) {
  const isMeta = splice.as === "meta";
  if (role === "meta")
    return { addresses: [], added: isMeta ? addedInterfaces(splice.prevResult, splice.attachment, result) : [] };
  const added = (result.interfaces ?? [])
    .filter((one) => isContainerInterface(one) && one.name !== selector.ifName && one.name !== "lo")
    .filter((one) => splice.as !== "creator" || !listsInterface(splice.prevResult, one))
    .map(({ name, sandbox }) => ({ name, sandbox: String(sandbox) }));
  return { addresses: addressesOf(result, selector), added };
}

/** Says why JSON may be too much for the engine; undefined if it is not. */
function tooMuch(text: string): string | undefined {
  if (hasTooManyValues(text)) return tooManyValues;
  return isTooDeep(text) ? "it is nested too deeply" : undefined;
}

function versionProblem({ cniVersion }: CniResult): string | undefined {
  if (cniVersion === undefined || isChainVersion(cniVersion)) return undefined;
  return `a result of cniVersion ${cniVersion} cannot be spliced`;
}
