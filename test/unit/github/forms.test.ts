import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readProject } from "../../../build/project.ts";
import { runCommand } from "../support/fake-terminal.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const folder = ".github/ISSUE_TEMPLATE";
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const forms = globSync(`${folder}/*.yml`, { cwd: root }).filter((file) => path.basename(file) !== "config.yml");

// The keys of https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests.
const id = z.string().regex(/^[\w-]+$/);
const validations = z.strictObject({ required: z.boolean() }).optional();
const texts = { label: z.string(), description: z.string().optional(), placeholder: z.string().optional() };
const field = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("markdown"), attributes: z.strictObject({ value: z.string() }) }),
  z.strictObject({ type: z.literal("input"), id, attributes: z.strictObject(texts), validations }),
  z.strictObject({
    type: z.literal("textarea"),
    id,
    attributes: z.strictObject({ ...texts, render: z.enum(["json", "text"]).optional() }),
    validations,
  }),
]);
const form = z.strictObject({
  name: z.string().min(3),
  description: z.string().min(3),
  labels: z.array(z.string()),
  body: z.array(field).min(1),
});

/** The pages and commands that each form names. */
const named = {
  "bug.yml": {
    pages: ["docs/troubleshooting.md", "docs/errors.md", "docs/operations.md"],
    commands: ["version", "lint", "preflight"],
  },
  "feature.yml": { pages: [], commands: [] },
};

test("there is a form for a bug and one for a feature", () => {
  expect(forms.map((file) => path.basename(file)).sort()).toEqual(Object.keys(named));
});

describe.each(Object.entries(named))("%s", (name, { pages, commands }) => {
  const file = `${folder}/${name}`;

  test("is a form: each field has a name and a label of its own", () => {
    const { body } = form.parse(parse(read(file)));
    const fields = body.filter((each) => each.type !== "markdown");
    expect(new Set(fields.map((each) => each.id)).size).toBe(fields.length);
    expect(new Set(fields.map((each) => each.attributes.label)).size).toBe(fields.length);
  });

  test("names files and commands that exist", async () => {
    const text = read(file);
    expect([...text.matchAll(/`(docs\/[\w-]+\.md)`/g)].map(([, page]) => page)).toEqual(pages);
    expect(pages.filter((page) => !existsSync(path.join(root, page)))).toEqual([]);
    const calls = [...text.matchAll(/`cni-wrappers (\w+)([^`]*)`/g)];
    expect(calls.map(([, command]) => command)).toEqual(commands);
    for (const [, name = "", words = ""] of calls) {
      const { exitCode, stdout } = await runCommand([name, "--help"]);
      expect(exitCode).toBe(0);
      for (const [option] of words.matchAll(/--[\w-]+/g)) expect(stdout).toContain(option);
    }
  });
});

test("a bug comes with the version, the list, the runtime, and the output of lint and preflight", () => {
  const { body } = form.parse(parse(read(`${folder}/bug.yml`)));
  const asked = body.flatMap((each) =>
    each.type === "markdown" ? [] : [[each.id, each.validations?.required ?? false]],
  );
  expect(Object.fromEntries(asked)).toMatchObject({
    version: true,
    list: true,
    runtime: true,
    lint: false,
    preflight: false,
  });
  expect(read(`${folder}/bug.yml`)).toContain("`cni-wrappers version --json`");
});

test("a security problem leads to the policy of the repository that package.json names", () => {
  const { blank_issues_enabled, contact_links } = parse(read(`${folder}/config.yml`));
  expect(blank_issues_enabled).toBe(false);
  expect(contact_links).toMatchObject([{ url: `${readProject().repository}/security/policy` }]);
  expect(contact_links[0].about).toContain("SECURITY.md");
});
