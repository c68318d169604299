import { chained } from "./chained.ts";
import { creators } from "./creators.ts";
import { foreign } from "./foreign.ts";
import type { Plugin } from "./plugin.ts";

/** What the plugins do to a host, read from the sources of reference plugins 1.9.1 and of flannel 1.8. */
export const plugins: Readonly<Record<string, Plugin>> = { ...creators, ...chained, ...foreign };
