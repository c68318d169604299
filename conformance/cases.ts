import type { ConformanceCase } from "./case.ts";
import { addCases } from "./checks/add.ts";
import { attachmentCases } from "./checks/attachments.ts";
import { chainedCases } from "./checks/chained.ts";
import { checkCases } from "./checks/check.ts";
import { delCases } from "./checks/del.ts";
import { delegatedVerbCases } from "./checks/delegated-verbs.ts";
import { delegationCases } from "./checks/delegation.ts";
import { errorCases } from "./checks/errors.ts";
import { networkCases } from "./checks/network.ts";
import { parameterCases } from "./checks/parameters.ts";
import type { Target } from "./target.ts";

/** Every case, in the order of the page. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...parameterCases,
  ...errorCases,
  ...addCases,
  ...attachmentCases,
  ...chainedCases,
  ...delCases,
  ...checkCases,
  ...networkCases,
  ...delegationCases,
  ...delegatedVerbCases,
];

/** Says whether a case concerns this plugin. */
export function concerns(
  { concerns: concerned }: ConformanceCase,
  { role, withoutIpam }: Pick<Target, "role" | "withoutIpam">,
): boolean {
  if (concerned === "ipam") return role === "interface" && !withoutIpam;
  return concerned === "all" || concerned === role;
}
