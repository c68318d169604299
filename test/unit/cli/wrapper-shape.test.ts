import { globSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { lintFiles } from "../../../cli/lint/lint.ts";
import { readListFile } from "../../../cli/lists/find-files.ts";
import { listOf } from "../../../cli/lists/list.ts";
import { CniError } from "../../../shared/protocol/errors.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { planOf } from "../support/fake-host.ts";
import { requestOf } from "../support/requests.ts";

const root = path.join(import.meta.dirname, "../../..");
const faulty = globSync("test/fixtures/lint/wrapper-shape/err-*", { cwd: root }).sort();

/** The message of ADD's error, for the first plugin of a list whose ADD fails before a delegate is run. */
function refusalOf(file: string): string | undefined {
  const { name, plugins = [] } = listOf(readListFile(file, root)) ?? {};
  for (const { type, configuration } of plugins) {
    const message = addError(type, { ...configuration, name });
    if (message !== undefined) return message;
  }
  return undefined;
}

function addError(type: string, configuration: JsonObject): string | undefined {
  try {
    planOf(requestOf("ADD", configuration), type);
    return undefined;
  } catch (error) {
    if (error instanceof CniError) return error.message;
    throw error;
  }
}

test.each(faulty)("%s: the finding has the words of the wrapper's own error", (file) => {
  const [finding] = lintFiles([readListFile(file, root)]);
  expect(refusalOf(file)?.replace(/^invalid plugin configuration: /, "")).toBe(finding?.message);
});
