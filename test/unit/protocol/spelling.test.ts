import { expect, test } from "vitest";
import { nearest } from "../../../shared/protocol/spelling.ts";

const known = ["ifName", "delegate", "role", "network", "args", "log"];

test.each([
  ["ifname", "ifName"],
  ["ifNam", "ifName"],
  ["iface", "ifName"],
  ["IFNAME", "ifName"],
  ["delegates", "delegate"],
  ["deleagte", "delegate"],
  ["rol", "role"],
  ["netwrok", "network"],
  ["arg", "args"],
  ["logs", "log"],
])("%s is meant to be %s", (word, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

test("a word as near to several gets the first", () => {
  expect(nearest("ab", ["aa", "bb"])).toBe("aa");
});

test("something is always named, nothing only where nothing is known", () => {
  expect(known).toContain(nearest("", known));
  expect(known).toContain(nearest("something-else-altogether", known));
  expect(nearest("ifName", [])).toBe("");
});
