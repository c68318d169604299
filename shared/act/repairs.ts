/** The log's words when a wrapper repairs an ADD. `cni-wrappers status` counts these lines. */
export const repairs = {
  addedAgain: "ADD failed after an earlier try: running DEL and ADD once more",
  deletedFirst: "attached before this boot: running DEL first",
  chained: "an earlier try was not completed: running DEL before ADD",
} as const;
