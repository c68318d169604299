import { noProgram } from "../host/plugin-folder.ts";
import type { ListRule } from "../lint/rule.ts";
import { pluginNamesIn } from "../lists/ipam.ts";

export const notExecutable: ListRule = {
  title: "A plugin's file in `--cni-path` is not executable, or no program of this machine.",
  page: `The runtime takes the first file of the plugin's name, and does not look further if it cannot run it. ADD fails:
\`permission denied\`. A copy without its mode is the usual reason: \`chmod 755\` the file. Or it is empty, damaged or for another
machine: \`exec format error\`. A copy that was cut off can start and then die: \`signal: segmentation fault\`. Then copy it
again.`,
  findInList({ plugins }, { plugins: folder }) {
    if (!folder) return [];
    return plugins.flatMap((plugin) =>
      pluginNamesIn(plugin).flatMap(({ name, path }) => {
        const found = folder.find(name);
        if (!found) return [];
        if (!found.isProgram) return [{ at: path, message: `${found.path}: ${noProgram}`, hint: "Install it again" }];
        const hint = `Run: chmod 755 ${found.path}`;
        if (!found.isExecutable) return [{ at: path, message: `${found.path} is not executable`, hint }];
        const signal = found.isWrapper ? undefined : found.crash;
        const message = `${found.path} ends with ${signal} when it starts: it is damaged`;
        return signal === undefined ? [] : [{ at: path, message, hint: "Install it again" }];
      }),
    );
  },
};
