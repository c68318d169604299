import type { HostRule } from "../lint/rule.ts";

export const noPluginDirectory: HostRule = {
  severity: "warning",
  title: "A directory of `--cni-path` is missing or empty.",
  page: `A runtime skips the directory without an error. Nomad before 1.11.2 then looks no further, and if it finds no version of
\`bridge\`, CHECK does not run. Fix \`cni_path\`, or install the plugins.`,
  findOnHost({ plugins }) {
    return (plugins?.directories ?? []).flatMap(({ path, problem }) =>
      problem === undefined ? [] : [{ path, message: `this directory of --cni-path ${problem}`, hint: "Fix the path" }],
    );
  },
};
