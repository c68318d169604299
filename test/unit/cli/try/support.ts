import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { redirect } from "../../support/redirected.ts";

/** Makes a /proc in which this process has namespaces of its own, and these mounts. */
export function makeProc(directory: string, mounts: readonly string[] = []): void {
  mkdirSync(join(directory, "self/ns"), { recursive: true });
  for (const kind of ["net", "mnt", "pid", "ipc", "uts"]) symlinkSync(`${kind}:[2]`, join(directory, "self/ns", kind));
  writeFileSync(join(directory, "self/mountinfo"), mounts.map((mount) => `22 1 0:21 / ${mount}\n`).join(""));
  redirect("/proc", directory);
}
