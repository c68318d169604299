import { chained } from "../../cli/model/chained.ts";
import { creators } from "../../cli/model/creators.ts";
import type { Plugin } from "../../cli/model/plugin.ts";
import { foreign } from "./foreign.ts";

/** What the plugins do to a host, read from the sources of reference plugins 1.10.0 and of flannel 1.8. */
export const plugins: Readonly<Record<string, Plugin>> = { ...creators, ...chained, ...foreign };
