import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { copyOfTree } from "../../../support/tree.ts";
import { holdLinks, indexes, noNamespaces } from "../../support/links.ts";

/** With arguments, the executable prints the index of each `<namespace>=<interface>` here. */
const probe = `
  const host = new SlimHost(machine, "", {});
  const place = () => host.stat("/proc/thread-self/ns/net")?.inode;
  const before = place();
  const found = args.slice(1).map((argument) => {
    const [netns = "", name = ""] = argument.split("=");
    return host.linkIndex(netns, name) ?? "nobody can look";
  });
  host.writeStderr("looked\\n");
  host.writeStdout(JSON.stringify({ found, stayed: place() === before }));
  return 0;`;

async function buildProbe(): Promise<string> {
  const tree = copyOfTree();
  const main = join(tree, "shared/host/slim/main.ts");
  const core = readFileSync(main, "utf8");
  const changed = core.replace("return usage(machine);", `{${probe}\n}`).replace(/^import { usage.*\n/m, "");
  expect(changed).toContain(probe);
  writeFileSync(main, changed);
  await execa({ cwd: tree })`${process.execPath} build/slim/build.ts`;
  return join(tree, "dist/slim/bin/cni-wrappers");
}

test("the host finds links in another namespace, stays where it is, and takes any stderr", {
  timeout: 600_000,
}, async () => {
  const executable = await buildProbe();
  await using holder = await holdLinks();
  const questions = [
    ...Object.keys(indexes).map((name) => `/proc/${holder.pid}/ns/net=${name}`),
    ...noNamespaces.map((path) => `${path}=lo`),
  ];
  const found = [...Object.values(indexes), ...noNamespaces.map(() => "nobody can look")];
  for (const [stderr, text] of [
    ["2>&2", "looked"],
    ["2>&-", ""],
    ["2>/dev/full", ""],
  ]) {
    const ended = await execa("sh", ["-c", `exec "$@" ${stderr}`, "sh", executable, ...questions]);
    expect(JSON.parse(ended.stdout)).toEqual({ found, stayed: true });
    expect(ended.stderr).toBe(text);
  }
});
