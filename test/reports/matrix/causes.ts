import type { StepName } from "./follow.ts";

/** Why a cell cannot pass with any chain. The text names the sources, and every run tests it again. */
export interface Cause {
  readonly steps: readonly StepName[];
  /** The error that shows the cause, both wrapped and plain. */
  readonly error: RegExp;
  readonly text: string;
  /** The words in the cell, if not that the step fails. */
  readonly words?: string;
}

export const causes: readonly Cause[] = [
  {
    steps: ["CHECK"],
    error: /^configuration version "0\.3\.1" does not support the CHECK command$/,
    text: "The specification has CHECK from 0.4.0 on, and libcni refuses it in older versions (`CheckNetworkList`, libcni/api.go).",
    words: "passes without CHECK",
  },
  {
    steps: ["restart"],
    error:
      /^lost: .*: configuration version "0\.3\.1" does not support the CHECK command(?:: destroying network to retry failed: .*)?$/,
    text:
      "The allocation is lost: Nomad runs CHECK in every version of a list. It takes libcni's refusal for a broken " +
      "network and makes the network again (`Setup`, client/allocrunner/networking_cni.go; `Prerun`, network_hook.go), or " +
      "gives up (1.9.5).",
    words: "no restart",
  },
  {
    steps: ["ADD", "start"],
    error:
      /failed \(add\): incompatible CNI versions; config is "1\.1\.0", plugin supports \[(?:"[\d.]+" )*"1\.0\.0"\]$/,
    text:
      "The reference plugins 1.3.0 use version 1.1.2 of the CNI library, which supports the specification up to " +
      "1.0.0 (`All`, pkg/version/version.go).",
  },
];
