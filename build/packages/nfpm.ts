import { join } from "node:path";
import { built } from "../go-build.ts";

/** Returns the program that makes packages, in the tools' cache. Go builds it if it is missing. */
export async function nfpmProgram(): Promise<string> {
  const module = join(import.meta.dirname, "nfpm");
  const title = "nfpm (about a minute)";
  return join(
    await built({ title, module, packages: ["github.com/goreleaser/nfpm/v2/cmd/nfpm"], ldflags: "-s -w" }),
    "nfpm",
  );
}
