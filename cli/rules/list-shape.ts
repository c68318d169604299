import type { JSONPath } from "jsonc-parser";
import { pathWords } from "../../shared/protocol/shapes.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { type Problem, problemsOf, problemText } from "../schema/go-view.ts";
import { listKeys, singleKeys } from "../schema/list.ts";

export const listShape: ListRule = {
  title: "A key that the runtime reads has a value of a wrong type.",
  page: `The runtime does not load the list. \`name\`, \`cniVersion\` and each \`type\` are text, \`plugins\` is a list of objects, and
\`disableCheck\`, \`disableGC\` and \`loadOnlyInlinedPlugins\` are true or false, also as text. In a list, \`null\` is not the same
as no key.`,
  findInList({ hasPlugins, value }) {
    const problems = problemsOf(hasPlugins ? listKeys : singleKeys, value);
    // Other rules look for what is missing, and for names that nobody can have.
    const isWrongType = ({ value, issue }: Problem) =>
      value !== undefined && issue.code !== "custom" && issue.code !== "too_small";
    const isNull = ({ path }: Problem) => hasPlugins && valueIn(value, path) === null && !isNamed(path);
    return [
      ...problems.filter(isWrongType).map((problem) => foundIn(problem.path, problemText(problem))),
      ...problems.filter(isNull).map(({ path }) => foundIn(path, `${pathWords("", path)} must not be null`)),
    ];
  },
};

function foundIn(path: JSONPath, message: string): FoundAt {
  const key = path[0] === "cniVersions" ? "cniVersions" : path.at(-1);
  const hint = (typeof key === "string" && hints[key]) || 'Write an object, such as { "type": "bridge", ... }';
  return { at: path, message, hint };
}

function valueIn(value: unknown, path: JSONPath): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)?.[key], value);
}

/** Rules of their own report a list without a name and a plugin without a type. */
function isNamed(path: JSONPath): boolean {
  return path.at(-1) === "name" || path.at(-1) === "type";
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
