import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { releaseNotes } from "../../../../build/release/changelog.ts";
import { version } from "../../../support/version.ts";

const project = { maintainer: "Jane Doe <jane@host.example>", repository: "https://host.example/wrappers" };
const changelog =
  "# Changelog\n\n## [1.2.3] - 2026-01-31\n\n### Fixed\n\n- A fault.\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n";
const notes = (replaced: { tag?: string; version?: string; project?: typeof project; changelog?: string } = {}) => {
  const all = { tag: "v1.2.3", version: "1.2.3", project, changelog, ...replaced };
  return () => releaseNotes(all.tag, all.version, all.project, all.changelog);
};

test("the notes are the version's section without its heading", () => {
  expect(notes()()).toBe("### Fixed\n\n- A fault.");
  expect(notes({ tag: "v1.2.2", version: "1.2.2" })()).toBe("- Old.");
});

const [maintainer, repository] = ["Us <us@us.invalid>", "https://us.invalid/us"];

test.each([
  ["another tag", { tag: "v1.2.4" }, "the tag is v1.2.4, and package.json has version 1.2.3"],
  ["no v", { tag: "1.2.3" }, "the tag is 1.2.3"],
  ["no section", { tag: "v1.2", version: "1.2" }, "CHANGELOG.md has no section ## [1.2]"],
  [
    "a date and more",
    { changelog: "## [1.2.3] - 2026-01-31?\n\n- A fault.\n" },
    "## [1.2.3] - 2026-01-31? has no date",
  ],
  ["no date", { changelog: "## [1.2.3]\n\n- A fault.\n" }, "CHANGELOG.md: ## [1.2.3] has no date"],
  ["an empty section", { changelog: "## [1.2.3] - 2026-01-31\n\n## [1.2.2] - 2026-01-01\n- Old." }, "is empty"],
  ["nobody", { project: { ...project, maintainer } }, "set author in package.json"],
  ["nobody, nowhere", { project: { maintainer, repository } }, "set author and repository in package.json"],
  ["no address", { project: { ...project, repository } }, "set repository in package.json"],
])("%s is no release", (_, replaced, message) => {
  expect(notes(replaced)).toThrow(message);
});

test("the changelog has notes for the version of package.json", () => {
  const text = readFileSync(new URL("../../../../CHANGELOG.md", import.meta.url), "utf8");
  expect(releaseNotes(`v${version}`, version, project, text)).toMatch(/^### Added$/m);
});
