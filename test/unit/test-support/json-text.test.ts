import { expect, test } from "vitest";
import { jsonText } from "../../support/json-text.ts";

test("what fits into a line is in one line, and it is the same JSON", () => {
  const long = { list: Array.from({ length: 20 }, (_, index) => `name ${index}`), none: [], nothing: {} };
  const value = { short: { a: [1, null], b: undefined }, long };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
  expect(text.split("\n").slice(0, 4)).toEqual(["{", '  "short": { "a": [1, null] },', '  "long": {', '    "list": [']);
  expect(text).toContain('    "none": [],\n    "nothing": {}\n  }\n}');
});
