import { expect, test } from "vitest";
import { near, nearest } from "../../../shared/protocol/spelling.ts";

const known = ["ifName", "delegate", "role", "network", "args", "log"];

test("a word that is equally near to several gets the first", () => {
  expect(nearest("ab", ["aa", "bb"])).toBe("aa");
});

// The first needs two edits, the second needs one.
test.each([
  ["a word itself", "abc", ["bc", "abc"], "abc"],
  ["a word itself, not its beginning", "abc", ["ab", "abc"], "abc"],
  ["a word itself, not its end", "bc", ["abc", "bc"], "bc"],
  ["one letter changed", "abcd", ["abcdef", "abxd"], "abxd"],
  ["one letter too many", "abc", ["axy", "ab"], "ab"],
  ["one letter too few", "ab", ["xy", "abc"], "abc"],
  ["the last letter changed", "abcd", ["xycd", "abcx"], "abcx"],
  ["another case of the known word", "ifname", ["ifnam", "ifName"], "ifName"],
])("the fewest edits win: %s", (_, word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

test("there is always a suggestion, unless there are no known words", () => {
  expect(nearest("", known)).toBe("log");
  expect(known).toContain(nearest("something-else-altogether", known));
  expect(nearest("ifName", [])).toBe("");
});

test("a word is near enough to a known one, or to none", () => {
  const isNear = (word: string) => near(word, ["log", "bridge", "macvlan-wrapper", "ifName"]);
  const words = ["brigde", "BRIDGE", "mcvln-wrappr", "ifnm"];
  expect(words.map(isNear)).toEqual(["bridge", "bridge", "macvlan-wrapper", "ifName"]);
  expect(["lxx", "mcvln-wrppr", "macvlan-wrapperxxxx", "birdie", ""].filter(isNear)).toEqual([]);
});
