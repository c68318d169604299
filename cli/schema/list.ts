import * as z from "zod";
import { networkNameProblem, networkNameRule, typeProblem } from "../../shared/protocol/names.ts";

const name = checked(networkNameProblem)
  .meta({ pattern: networkNameRule.source })
  .describe("Name of the network. Jobs and pods ask for it, and leases are kept under it.");

const type = checked(typeProblem);

const flagWords = "must be true or false";

// libcni also takes the words as text, in capitals or not.
const flag = z.union([z.boolean(), z.string().regex(/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/, flagWords)], flagWords);

const versionKeys = {
  cniVersion: z
    .string()
    .optional()
    .describe("Version of the CNI specification. Lists exist since 0.3.0, CHECK since 0.4.0."),
  name,
};

/** The keys of a network configuration list (libcni, NetworkConfFromBytes). libcni compares them letter by letter. */
export const listKeys = z.looseObject({
  ...versionKeys,
  cniVersions: z
    .array(z.string().regex(/^(?:[+-]?\d+(?:\.[+-]?\d+){0,2})?$/, "must be a version, such as 1.0.0"))
    .optional()
    .describe("More versions. The runtime takes the highest one that it knows."),
  disableCheck: flag.optional().describe("The runtime never runs CHECK. Lost interfaces go unseen."),
  disableGC: flag.optional().describe("The runtime never runs GC."),
  loadOnlyInlinedPlugins: flag
    .optional()
    .describe("Ignore plugin configurations in a directory with the network's name, next to the list."),
  plugins: z
    .array(z.looseObject({ type }))
    // zod's own check would also read the "length" of an object, which may be anything.
    .meta({ minItems: 1 })
    .describe("The plugins, in the order in which ADD runs them. DEL runs them backwards."),
});

/** The keys of a file with one plugin and no list (a `.conf`) that make it a network. */
export const singleKeys = z.looseObject({ ...versionKeys, type });

function checked(problem: (name: string) => string | undefined) {
  return z.string().refine((name) => problem(name) === undefined, { error: ({ input }) => problem(String(input)) });
}
