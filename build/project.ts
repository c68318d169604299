import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./publish.ts";

/** The people and the address that packages, provenance and release notes name. */
export interface Project {
  /** A name and an address: `Jane Doe <jane@host.example>`. */
  readonly maintainer: string;
  /** The page of the repository, without a slash at the end. */
  readonly repository: string;
}

/** Reads the project's `author` and `repository` in package.json. */
export function readProject(directory = root): Project {
  const { author, repository } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    author: string;
    repository: { url: string };
  };
  return { maintainer: author, repository: repository.url.replace(/^git\+/, "").replace(/\.git$/, "") };
}

/** The fields of package.json that nobody has set: no address can end with `.invalid`. */
export function placeholders({ maintainer, repository }: Project): string[] {
  const fields = Object.entries({ author: maintainer, repository });
  return fields.filter(([, value]) => /\.invalid\b/.test(value)).map(([name]) => name);
}
