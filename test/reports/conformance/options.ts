import { parseArgs } from "node:util";
import { firstLine, oneOf, specOf, UsageError } from "../../../conformance/options.ts";
import type { SpecVersion } from "../../../conformance/specification.ts";
import { setups } from "./setups.ts";

/** The checked command line. */
export interface Options {
  readonly only: readonly string[] | undefined;
  readonly spec: readonly SpecVersion[] | undefined;
  readonly write: boolean;
  readonly kernel: boolean;
  readonly node: boolean;
  /** For the second kernel: its tasks as JSON. */
  readonly tasks: string | undefined;
  /** The folder of the plain plugins, if they are not those of the newest release. */
  readonly plugins: string | undefined;
}

export const help = `Runs the cases of cni-conformance with the reference plugins and their wrappers. It needs root.

  npm run test:conformance

  --only PLUGINS   some of the reference plugins, such as bridge,tuning, with what each case says
  --spec VERSIONS  versions of the specification, such as 0.4.0,1.1.0
  --node           every wrapper in the Node flavor too, not only those of bridge and portmap
  --kernel         in a second kernel (user-mode-linux), the plugins that this machine's kernel cannot run
  --write          renew docs/conformance.md and results.json
  --help           this text

The exit code is 1 if a wrapper breaks a rule that the plain plugin follows, or the results are not those of
results.json, and 2 if the command line is wrong.`;

/** Parses the command line; undefined if it asks for help. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { help: isHelp, only, spec, write = false, kernel = false, node = false, tasks, plugins } = valuesOf(args);
  if (isHelp) return undefined;
  return {
    only: only?.split(",").map((name) => oneOf("--only", name, Object.keys(setups))),
    spec: spec === undefined ? undefined : specOf(spec),
    ...{ write, kernel, node, tasks, plugins },
  };
}

function valuesOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    ...{ spec: text, only: text, tasks: text, plugins: text },
    ...{ write: flag, kernel: flag, node: flag, help: flag },
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${firstLine(error)}. --help shows the options`);
  }
}
