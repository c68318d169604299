import type { StepName } from "./course.ts";

/** Why a cell cannot pass, whatever stands in the chain: found in the sources that are named, and seen again in every run. */
export interface Cause {
  readonly steps: readonly StepName[];
  /** The error by which it is known, wrapped and plain. */
  readonly error: RegExp;
  readonly text: string;
  /** What stands in the cell, if not that the step fails. */
  readonly words?: string;
}

export const causes: readonly Cause[] = [
  {
    steps: ["CHECK"],
    error: /^configuration version "0\.3\.1" does not support the CHECK command$/,
    text: "The specification has CHECK from 0.4.0 on; libcni refuses it before (`CheckNetworkList`, libcni/api.go).",
    words: "passes without CHECK",
  },
  {
    steps: ["restart"],
    error: /^lost: .*: configuration version "0\.3\.1" does not support the CHECK command$/,
    text:
      "The allocation is lost: Nomad asks for CHECK whatever the version of the list, takes libcni's refusal for a broken " +
      "network, and makes it anew (`Setup`, client/allocrunner/networking_cni.go; `Prerun`, network_hook.go).",
    words: "no restart",
  },
  {
    steps: ["ADD", "start"],
    error:
      /failed \(add\): incompatible CNI versions; config is "1\.1\.0", plugin supports \[(?:"[\d.]+" )*"1\.0\.0"\]$/,
    text:
      "The reference plugins 1.3.0 are built with version 1.1.2 of the CNI library, which knows the specification up to " +
      "1.0.0 (`All`, pkg/version/version.go).",
  },
];
