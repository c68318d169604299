import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleForNode } from "./bundle.ts";
import { makeExecutable } from "./executable.ts";
import { executable, makeStage, publish, report, root, runBuild } from "./publish.ts";
import { readStamp } from "./stamp.ts";

const dist = join(root, "dist");

/** Builds the Node flavor, `dist/bin`. */
async function build(): Promise<void> {
  const started = performance.now();
  const stamp = readStamp(root);
  const stage = makeStage(dist);
  const script = join(stage, `${executable}.cjs`);

  const bundled = await bundleForNode(root, "shared/host/node/main.ts", stamp);
  writeFileSync(script, bundled.script);
  writeFileSync(
    join(stage, "meta.json"),
    JSON.stringify({ script: bundled.metafile, problem: bundled.problem }, null, 2),
  );
  const jq = join(stage, "jq.cjs");
  writeFileSync(jq, (await bundleForNode(root, "shared/host/node/jq-thread.ts", stamp)).script);
  await makeExecutable(script, join(stage, "bin", executable), { jq });
  publish(stage, dist);
  renameSync(join(stage, "meta.json"), join(dist, "meta.json"));
  report(dist, stamp, started);
}

await runBuild(build);
