import type { PluginRule } from "../lint/rule.ts";
import { interfaceProblem } from "../lists/list.ts";

export const interfaceName: PluginRule = {
  title: "An interface cannot have this name.",
  page: `An interface name has 1 to 15 bytes. \`/\`, \`:\`, white space, \`.\` and \`..\` are not allowed. \`lo\` exists in every
network namespace. The kernel keeps \`all\` and \`default\` for its settings (\`/proc/sys/net/ipv4/conf/all\`). A renamed
interface also gets a network name, \`<name>-<ifName>\`, and libcni accepts only letters, digits, \`_\`, \`.\` and \`-\` in it.
ADD fails with any other name.`,
  findInPlugin(plugin) {
    const problem = interfaceProblem(plugin);
    if (problem === undefined) return undefined;
    const message = `the interface name ${JSON.stringify(plugin.ifName)} ${problem}`;
    return { at: ["wrapper", "ifName"], message, hint: 'Use a short name with letters and digits, such as "eth1"' };
  },
};
