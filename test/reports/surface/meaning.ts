import { isDeepStrictEqual } from "node:util";
import type { OwnedCase } from "./case.ts";
import { type Comparison, type Story, tellPlain } from "./compare.ts";

/**
 * Returns why a case in the newest version does not show its option, or undefined if it does. Two plugins that are
 * wrong in the same way are also equal. So an invalid value must fail with its message. A valid value must pass and
 * leave something that is not there without it.
 */
export async function meaningProblem(each: OwnedCase, version: string, run: Comparison): Promise<string | undefined> {
  const { add, check, del } = run.plain;
  const said = [add, check].filter((outcome) => outcome?.exitCode !== 0).map((outcome) => outcome?.stdout ?? "");
  if (each.fails !== undefined) {
    return said.some((text) => text.includes(each.fails ?? "")) ? undefined : `it should fail with "${each.fails}"`;
  }
  if (add.exitCode !== 0 || del.exitCode !== 0) return `it should pass: ${add.stdout} ${del.stdout}`;
  if (check?.exitCode !== 0 && each.allowed === undefined) return `CHECK should pass: ${check?.stdout}`;
  const seen = !isDeepStrictEqual(run.plain, await storyWithout(each, version));
  if (seen && each.unseen) return "the case says that it is unseen, but there is a difference";
  return seen || each.unseen ? undefined : "there is no difference without it";
}

const stories = new Map<string, Promise<Story>>();

/** The plain plugin's story on the same host, without the case's change. */
function storyWithout({ owner, plugin, before, option, value }: OwnedCase, version: string): Promise<Story> {
  const key = [owner, plugin, before, version].join();
  const base: OwnedCase = { owner, plugin, option, value, ...(before && { before }) };
  const story = stories.get(key) ?? tellPlain(base, version);
  stories.set(key, story);
  return story;
}
