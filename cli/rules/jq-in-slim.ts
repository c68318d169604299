import type { PluginRule } from "../lint/rule.ts";

export const jqInSlim: PluginRule = {
  title: "A list has `wrapper.jq`, and the slim flavor is installed in `--cni-path`.",
  page: `Only the Node flavor contains jq. The slim flavor refuses a configuration with \`wrapper.jq\`, so ADD fails with code 7.
Install the Node flavor, or replace the program by \`wrapper.args\` or \`wrapper.ports\` if one of them is enough.`,
  findInPlugin({ type, isWrapped, wrapper }, _, { plugins }) {
    const found = plugins?.find(type);
    if (!isWrapped || wrapper.jq === undefined || !found?.isWrapper || found.hasJq) return undefined;
    const message = `${found.path} is the slim flavor, which has no jq`;
    return { at: ["wrapper", "jq"], isKey: true, message, hint: "Install the Node flavor" };
  },
};
