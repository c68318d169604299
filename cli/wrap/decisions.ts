import type { OlderAttachment } from "./attached.ts";

/** A plugin that `wrap` changes. */
export interface Wrapped {
  readonly index: number;
  /** Its type in the list, before and after. */
  readonly type: string;
  readonly becomes: string;
  /** New keys of its `wrapper` block. */
  readonly wrapper: { readonly ifName?: string; readonly network?: string };
  /** What it does then, in words that follow its type. */
  readonly does: string;
}

/** What `wrap` does to a list, and what the operator should know. */
export interface Decisions {
  readonly plugins: readonly Wrapped[];
  readonly notes: readonly string[];
}

/** What is known about a list, next to its text. */
export interface Known {
  /** The interface names that the operator wants, by the positions of the creators. */
  readonly wished?: readonly (string | undefined)[] | undefined;
  /** Whether a script attached the running containers, with all leases under the list's own name. */
  readonly fromScript?: boolean;
  readonly older?: readonly OlderAttachment[];
}
