import type { PluginRule } from "../lint/rule.ts";

export const wrongRole: PluginRule = {
  title: "wrapper.role contradicts what the plugin does.",
  page: `\`role\` tells the wrapper what a plugin does that is not in [the list](plugins.md). The role of the others is known, and
ADD fails with code 7 if the block says something else (\`wrapper.role must be "creator" for bridge\`). Leave it out.`,
  findInPlugin({ isWrapped, profile, wrapper: { role }, delegate }) {
    if (!isWrapped || profile === undefined || (role !== "creator" && role !== "meta")) return undefined;
    if (role === profile.role) return undefined;
    const [is, not] = profile.role === "creator" ? ["an interface", "a chained"] : ["a chained", "an interface"];
    const message = `${delegate} is ${is} plugin, not ${not} plugin`;
    return { at: ["wrapper", "role"], message, hint: "Leave role out" };
  },
};
