import { expect, test } from "vitest";
import { keyAt, lineAt, type Place, parseListFile, positionOf, valueAt } from "../../../../cli/lists/list-file.ts";

const text = `{
  "name": "zone",
  "plugins": [
    { "type": "bridge", "mtu": 1500, "mtu": 1400 },
    { "type": "portmap", "empty": [] }
  ]
}
`;
const file = parseListFile("zone.conflist", text);

/** The line of a place, with the place between two marks. */
function marked({ offset, length }: Place): string {
  const whole = `${text.slice(0, offset)}<${text.slice(offset, offset + length)}>${text.slice(offset + length)}`;
  return whole.split("\n").find((line) => line.includes("<")) ?? "";
}

test.each<[(string | number)[], value: string, key: string]>([
  [["name"], '  "name": <"zone">,', '  <"name">: "zone",'],
  [["plugins"], '  "plugins": <[>', '  <"plugins">: ['],
  [["plugins", 1, "type"], '    { "type": <"portmap">, "empty": [] }', '    { <"type">: "portmap", "empty": [] }'],
  [["plugins", 1, "empty"], '    { "type": "portmap", "empty": <[>] }', '    { "type": "portmap", <"empty">: [] }'],
  // An entry of a list has no key.
  [["plugins", 1], '    <{> "type": "portmap", "empty": [] }', '    <{> "type": "portmap", "empty": [] }'],
  // What is missing has the place of what is around it.
  [["plugins", 1, "a", "b"], '    <{> "type": "portmap", "empty": [] }', '    <{> "type": "portmap", "empty": [] }'],
  [["name", "a"], '  "name": <"zone">,', '  "name": <"zone">,'],
  [["a"], "<{>", "<{>"],
  [[], "<{>", "<{>"],
])("the value and the key at %j", (path, value, key) => {
  expect([marked(valueAt(file, path)), marked(keyAt(file, path))]).toEqual([value, key]);
});

test("a file without JSON has its places at its begin, one that ends early where its values are", () => {
  const begin = { offset: 0, length: 0 };
  for (const at of [valueAt, keyAt]) expect(at(parseListFile("zone.conflist", ""), ["name"])).toEqual(begin);
  const early = parseListFile("zone.conflist", '{ "a": 1, "name"');
  expect([valueAt(early, ["a"]), valueAt(early, ["name"])]).toEqual([
    { offset: 7, length: 1 },
    { offset: 0, length: 1 },
  ]);
});

// The face has two units of UTF-16.
const faces = { text: "a😀b\n\n😀😀c\nlast" };

test("the position of the end of a line is in it, and of the file's end in the last one", () => {
  expect(positionOf(faces, faces.text.indexOf("\n"))).toEqual({ line: 1, column: 4 });
  expect(positionOf(faces, faces.text.length)).toEqual({ line: 4, column: 5 });
});

test("a line is without its end, and one behind the file is empty", () => {
  expect([1, 2, 3, 4, 5].map((line) => lineAt(faces, line))).toEqual([
    { text: "a😀b", start: 0 },
    { text: "", start: 5 },
    { text: "😀😀c", start: 6 },
    { text: "last", start: 12 },
    { text: "", start: 16 },
  ]);
});
