import { type Project, placeholders } from "../project.ts";

/**
 * Returns the changelog's section for a tag. Throws if the tag is not the version's, the section has no date, or package.json
 * still has placeholders.
 */
export function releaseNotes(tag: string, version: string, project: Project, changelog: string): string {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json has version ${version}`);
  const unset = placeholders(project);
  if (unset.length > 0) throw new Error(`set ${unset.join(" and ")} in package.json: build/release/README.md`);
  const section = changelog.split(/^(?=## )/m).find((each) => each.startsWith(`## [${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ## [${version}]`);
  const [heading = "", ...text] = section.split("\n");
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading)) throw new Error(`CHANGELOG.md: ${heading} has no date (YYYY-MM-DD)`);
  const notes = text.join("\n").trim();
  if (notes === "") throw new Error(`CHANGELOG.md: ${heading} is empty`);
  return notes;
}
