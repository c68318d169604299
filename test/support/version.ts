import { readFileSync } from "node:fs";
import path from "node:path";

const manifest = readFileSync(path.join(import.meta.dirname, "../../package.json"), "utf8");

/** The version of this tree: executables print it with a `v` before it. */
export const { version } = JSON.parse(manifest) as { version: string };
