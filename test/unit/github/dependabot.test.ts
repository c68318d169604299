import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "../../..");
const exclude = (name: string) => ["node_modules", "dist", ".git"].includes(path.basename(name));
const files = globSync(["**/*", ".github/workflows/*"], { cwd: root, exclude });

// The keys of https://docs.github.com/en/code-security/reference/supply-chain-security/dependabot-options-reference.
const group = z.strictObject({
  patterns: z.array(z.string()).optional(),
  "dependency-type": z.enum(["development", "production"]).optional(),
});
const schema = z.strictObject({
  version: z.literal(2),
  updates: z.array(
    z
      .strictObject({
        "package-ecosystem": z.enum(["npm", "cargo", "gomod", "pip", "github-actions"]),
        directory: z.string().startsWith("/").optional(),
        directories: z.array(z.string().startsWith("/")).optional(),
        schedule: z.strictObject({ interval: z.enum(["daily", "weekly", "monthly"]) }),
        cooldown: z.strictObject({ "default-days": z.int().min(1) }),
        groups: z.record(z.string(), group).optional(),
      })
      .refine(({ directory, directories }) => (directory === undefined) !== (directories === undefined)),
  ),
});
const { updates } = schema.parse(parse(readFileSync(path.join(root, ".github/dependabot.yml"), "utf8")));

/** The manifest of each kind of package, as a file of a directory. */
const manifests = {
  npm: /^package\.json$/,
  cargo: /^Cargo\.toml$/,
  gomod: /^go\.mod$/,
  pip: /requirements\.txt$/,
  "github-actions": /^\.github\/workflows\/\w+\.yml$/,
};
const kinds = Object.keys(manifests) as (keyof typeof manifests)[];

/** The directories of the manifests of a kind. */
function withManifest(kind: keyof typeof manifests): string[] {
  if (kind === "github-actions") return files.some((file) => manifests[kind].test(file)) ? ["/"] : [];
  const found = files.filter((file) => manifests[kind].test(path.basename(file)));
  // The tests choose these versions on purpose: a folder is named for its version.
  const named = found.filter((file) => !/^\d+\.\d+\.\d+$/.test(path.basename(path.dirname(file))));
  return named.map((file) => path.join("/", path.dirname(file)));
}

describe.each(kinds)("%s", (kind) => {
  test("every manifest gets updates, and no other directory", () => {
    const entries = updates.filter((update) => update["package-ecosystem"] === kind);
    const directories = entries.flatMap(({ directory, directories }) => directory ?? directories ?? []);
    expect(directories.sort()).toEqual(withManifest(kind).sort());
  });
});
