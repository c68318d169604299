import { isJsonObject } from "../../shared/protocol/json.ts";
import { typeProblem } from "../../shared/protocol/names.ts";
import { near } from "../../shared/protocol/spelling.ts";
import type { PluginRule } from "../lint/rule.ts";

export const pluginType: PluginRule = {
  title: "A plugin has no type, or one that is not the name of an executable.",
  page: `\`type\` is the name of the plugin's executable in a directory of CNI_PATH. Without it, libcni does not load the list
(\`missing 'type'\`). A path is not a name: libcni refuses it on ADD (\`invalid plugin name\`).`,
  findInPlugin({ index, type, configuration }, { value, hasPlugins }) {
    if ((configuration.type ?? null) === null) {
      // Another rule reports an entry that is no object.
      const entry = Array.isArray(value.plugins) ? value.plugins[index] : value;
      if (!isJsonObject(entry)) return undefined;
      const misspelled = hasPlugins ? undefined : Object.keys(value).find((key) => near(key, ["plugins"]));
      if (misspelled !== undefined) {
        const hint = `Rename the key ${misspelled} to plugins`;
        return { at: [misspelled], isKey: true, message: "the list has no key plugins", hint };
      }
      const hint = 'Add "type": "..." with the name of the plugin\'s executable';
      return { at: [], message: "the plugin has no type", hint };
    }
    const problem = typeof configuration.type === "string" ? typeProblem(type) : undefined;
    if (problem === undefined) return undefined;
    const hint = "Write only the executable's name. Runtimes look for it in CNI_PATH";
    return { at: ["type"], message: `the type ${JSON.stringify(type)} ${problem}`, hint };
  },
};
