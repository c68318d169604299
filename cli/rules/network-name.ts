import { networkNameProblem } from "../../shared/protocol/names.ts";
import type { ListRule } from "../lint/rule.ts";

export const networkName: ListRule = {
  title: "The list has no name, or one that runtimes refuse.",
  page: `A runtime finds a network by the \`name\` of its list, not by the name of the file. Without a name it cannot load the
list. A name begins with a letter or a digit. Letters, digits, \`_\`, \`.\` and \`-\` may follow. libcni refuses any other
name on ADD.`,
  findInList({ value, name }) {
    if ((value.name ?? null) === null)
      return { at: ["name"], message: "the list has no name", hint: 'Add "name": "..."' };
    const problem = name === undefined ? undefined : networkNameProblem(name);
    if (problem === undefined) return [];
    const hint = "Use letters, digits, '_', '.' and '-', and begin with a letter or a digit";
    return [{ at: ["name"], message: `the name ${JSON.stringify(name)} ${problem}`, hint }];
  },
};
