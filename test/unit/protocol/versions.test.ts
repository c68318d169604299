import { expect, test } from "vitest";
import { delGetsResult, isChainVersion, newestVersion, supportedVersions } from "../../../shared/protocol/result.ts";

test("every released version of the specification is supported", () => {
  expect(supportedVersions).toEqual(["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"]);
  expect(newestVersion).toBe("1.1.0");
});

test.each(["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"])("results of %s list interfaces", (version) => {
  expect(isChainVersion(version)).toBe(true);
});

test.each([undefined, "", "0.1.0", "0.2.0", "0.3", "1.0", "1.0.1", "1.2.0", "2.0.0", " 1.0.0", "v1.0.0"])(
  "results of %s do not, or are unknown",
  (version) => {
    expect(isChainVersion(version)).toBe(false);
  },
);

test.each(["0.4.0", "1.0.0", "1.1.0"])("DEL of %s gets the result of ADD", (version) => {
  expect(delGetsResult(version)).toBe(true);
});

test.each([undefined, "0.1.0", "0.2.0", "0.3.0", "0.3.1", "2.0.0"])("DEL of %s does not", (version) => {
  expect(delGetsResult(version)).toBe(false);
});
