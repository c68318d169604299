import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect } from "vitest";
import { foundIn, root, textOf, writeFound } from "../../fuzz/found.ts";

// All properties of the unit tests come through here. A value that breaks one becomes a fixture.
fc.configureGlobal({
  reporter(details) {
    // A property that holds counts as an assertion of its test.
    expect(details.numRuns + details.numSkips).toBeGreaterThan(0);
    if (!details.failed) return;
    const message = `${fc.defaultReportMessage(details)}\n\n${kept(details.counterexample)}`;
    throw new Error(message, { cause: details.errorInstance });
  },
});

function kept(value: unknown): string {
  const { testPath = "", currentTestName = "" } = expect.getState();
  const found = { test: testPath.slice(root.length + 1), property: currentTestName, value };
  // JSON has no undefined and no -0.
  const isWhole = isDeepStrictEqual(foundIn(textOf(found)).value, value);
  return isWhole ? `Wrote ${writeFound(found)}.` : "JSON cannot keep this value: only the seed repeats it.";
}

export default fc;
