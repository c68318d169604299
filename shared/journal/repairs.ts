import type { Because } from "./recovery-table.ts";

/** The log's words when an ADD gives up what an earlier one left. `cni-wrappers status` counts these lines. */
export const repairs: Readonly<Record<Because, string>> = {
  "of an earlier boot": "attached before this boot: undoing it before ADD",
  "its namespace is gone": "attached in a namespace that is gone: undoing it before ADD",
  "not complete": "an earlier try was not completed: undoing it before ADD",
  "recover is always": "wrapper.recover is always: undoing an earlier attachment before ADD",
};
