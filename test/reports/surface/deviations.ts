import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../../support/lab.ts";
import type { Deviation, OwnedCase } from "./case.ts";
import type { Story } from "./compare.ts";

/** One of the allowed differences in docs/behavior.md, "Differences from the plain plugin". */
interface Allowance {
  readonly step: keyof Story;
  readonly allows: (plain: Outcome, wrapped: Outcome) => boolean;
}

/** All allowed differences of an outcome. */
const allowances: Readonly<Record<Deviation, Allowance>> = {
  "floating MAC": {
    step: "check",
    allows: (plain, wrapped) => /Bridge interface \S+ Mac doesn't match/.test(plain.stdout) && wrapped.exitCode === 0,
  },
  "own error": { step: "check", allows: (_, wrapped) => wrapped.exitCode === 1 && [7, 103].includes(codeOf(wrapped)) },
  "other table": {
    step: "check",
    allows: (plain, wrapped) => /Expected Route .* Table:100 .* not found/.test(plain.stdout) && wrapped.exitCode === 0,
  },
  order: { step: "add", allows: (plain, wrapped) => isDeepStrictEqual(withoutOrder(plain), withoutOrder(wrapped)) },
};

/** Returns the known deviation of a case, if it explains the difference in this step. */
export function explain({ allowed }: OwnedCase, step: keyof Story, plain: Story, wrapped: Story): string | undefined {
  const allowance = allowed && allowances[allowed];
  if (allowance === undefined || allowance.step !== step) return undefined;
  const [one, other] = [plain[step], wrapped[step]] as [Outcome | undefined, Outcome | undefined];
  return one && other && allowance.allows(one, other) ? allowed : undefined;
}

function codeOf({ stdout }: Outcome): number {
  return JSON.parse(stdout).code;
}

/** A result with its interfaces sorted by name. Its addresses then refer to names. */
function withoutOrder({ stdout }: Outcome): unknown {
  const { interfaces, ips, ...rest } = JSON.parse(stdout) as {
    interfaces: { name: string }[];
    ips?: { interface: number }[];
  };
  return {
    ...rest,
    interfaces: interfaces.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    ips: ips?.map((ip) => ({ ...ip, interface: interfaces[ip.interface]?.name })),
  };
}
