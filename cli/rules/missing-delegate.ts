import { delegateName } from "../../shared/call/call.ts";
import type { PluginRule } from "../lint/rule.ts";

export const missingDelegate: PluginRule = {
  title: "The plugin behind a wrapper is not in `--cni-path`.",
  page: `The wrapper runs the real plugin. It looks for it in the directories of CNI_PATH, then in its own directory, and skips
itself. If there is none, ADD fails with code 100. Install the plugin, or set \`wrapper.delegate\` to the right name.`,
  findInPlugin({ type, delegate, isWrapped, wrapper: block }, _, { plugins }) {
    const wrapper = plugins?.find(type);
    const other = plugins?.find(delegate);
    // A file that is not executable is the finding of another rule.
    if (!isWrapped || !wrapper?.isWrapper || (other && !(other.isExecutable && other.isProgram))) return undefined;
    if (plugins?.findDelegate(delegate, wrapper)) return undefined;
    const at = block.delegate === undefined ? ["type"] : ["wrapper", "delegate"];
    const own = delegateName(delegate);
    if (own !== undefined && own !== delegate)
      return { at, message: `${type} runs ${delegate}, which is a wrapper`, hint: `Write "${own}"` };
    const message = `${type} runs ${delegate}, and no directory of --cni-path has that plugin`;
    return { at, message, hint: `Install ${delegate}` };
  },
};
