import { oldestBridge as oldest, whyNoCheck } from "../host/read-plugin-folder.ts";
import type { HostRule } from "../lint/rule.ts";

export const oldBridge: HostRule = {
  severity: "warning",
  title: "The bridge plugin in `--cni-path` is too old for Nomad's CHECK, or has no version.",
  page: `Nomad runs CHECK when a client restarts, but only if the version of \`bridge\` is at least ${oldest}. It runs the executable
without arguments and takes the first word that is a version. If a later directory has another \`bridge\`, that one
counts. Without CHECK, a lost interface is not noticed. Install newer reference plugins.`,
  findOnHost({ plugins }) {
    if (!plugins) return [];
    const advice = whyNoCheck(plugins);
    if (advice === undefined) return [];
    const { reason, cure } = advice;
    const path = plugins.find("bridge")?.path ?? plugins.directories[0]?.path ?? "";
    return [
      { path, message: `${reason}, so it runs no CHECK`, hint: cure.replace(/^./, (letter) => letter.toUpperCase()) },
    ];
  },
};
