import { execa } from "execa";
import { type Jq, laterJq, laterSuites } from "../tools/later-jq.ts";
import { firstLine } from "./first-line.ts";

/** The host's jq and those of later Debians; for each that is not to be had, why. */
export async function findJqs(): Promise<{ jqs: Jq[]; missing: string[] }> {
  const jqs = [await hostJq()];
  const missing: string[] = [];
  for (const suite of laterSuites) {
    try {
      const jq = await laterJq(suite);
      if (jqs.every(({ version }) => version !== jq.version)) jqs.push(jq);
    } catch (error) {
      missing.push(`jq of Debian ${suite}: ${firstLine(error)}`);
    }
  }
  return { jqs, missing };
}

async function hostJq(): Promise<Jq> {
  const { stdout: version } = await execa("jq", ["--version"]);
  return { version: version.replace("jq-", ""), argv: ["jq"], files: await filesOf("jq") };
}

/** A program of this host and the libraries that come with it; the C library is there on every host. */
async function filesOf(program: string): Promise<string[]> {
  const { stdout: file } = await execa("sh", ["-c", `command -v ${program}`]);
  const { stdout } = await execa("ldd", [file], { reject: false });
  const libraries = [...stdout.matchAll(/=> (\/\S+)/g)].map(([, library = ""]) => library);
  return [file, ...libraries.filter((library) => !/\/lib(c|m|dl|pthread)\.so/.test(library))];
}
