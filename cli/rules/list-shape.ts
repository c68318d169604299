import type { FoundAt, ListRule } from "../lint/rule.ts";
import { type Problem, problemsOf, problemText } from "../schema/go-view.ts";
import { listKeys, singleKeys } from "../schema/list.ts";

export const listShape: ListRule = {
  title: "A key that the runtime reads has a value of a wrong type.",
  page: `The runtime does not load the list. \`name\`, \`cniVersion\` and each \`type\` are text, \`plugins\` is a list of objects, and
\`disableCheck\`, \`disableGC\` and \`loadOnlyInlinedPlugins\` are true or false, also as text.`,
  findInList(list) {
    const problems = problemsOf(list.hasPlugins ? listKeys : singleKeys, list.value);
    // Other rules look for what is missing, and for names that nobody can have.
    const isWrongType = ({ value, issue }: Problem) =>
      value !== undefined && issue.code !== "custom" && issue.code !== "too_small";
    return problems.filter(isWrongType).map(foundIn);
  },
};

function foundIn(problem: Problem): FoundAt {
  const key = problem.path[0] === "cniVersions" ? "cniVersions" : problem.path.at(-1);
  const hint = (typeof key === "string" && hints[key]) || 'Write an object, such as { "type": "bridge", ... }';
  return { at: problem.path, message: problemText(problem), hint };
}

const hints: Readonly<Record<string, string>> = {
  name: 'Name the network, as in "name": "zone"',
  cniVersion: 'Write the version as text, as in "cniVersion": "1.0.0"',
  cniVersions: 'Write a list, as in "cniVersions": ["0.4.0", "1.0.0"]',
  plugins: 'Write a list, as in "plugins": [{ "type": "bridge", ... }]',
  type: 'Name the plugin\'s executable, as in "type": "bridge"',
  disableCheck: "Write true or false",
  disableGC: "Write true or false",
  loadOnlyInlinedPlugins: "Write true or false",
};
