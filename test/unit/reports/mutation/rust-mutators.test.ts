import { expect, test } from "vitest";
import { mutantsOf } from "../../../reports/mutation/mutants.ts";

/** The lines of a function that differ with each mutant of its body. */
function changed(body: string): string[] {
  const source = `fn f() -> u8 {\n${body}\n}\n`;
  return mutantsOf("src/one.rs", source).map(({ switch: { start, end, text } }) => {
    return (source.slice(0, start) + text + source.slice(end)).split("\n").slice(1, -2).join("\n").trim();
  });
}

test.each([
  ["operators", "    f(a == b && c < d)", ["f(a != b && c < d)", "f(a == b || c < d)", "f(a == b && c <= d)"]],
  ["conditions", "    if a(b) { c }", ["if true { c }", "if false { c }"]],
  ["the conditions of a match", "        x if x.y => z,", ["x if true => z,", "x if false => z,", ""]],
  ["negations", "    f(!a)", ["f(a)"]],
  ["numbers", "    f(0o755, 9)", ["f(0o756, 9)", "f(0o755, 10)"]],
  ["texts, but none for C", '    f(b"a", c"b")', ['f(b"", c"b")']],
  ["statements", "    a();\n    let b = c;", ["let b = c;"]],
  ["statements whose value nobody uses", "    let _ = a();", [""]],
  ["statements with a block", "    a(|| { b });", [""]],
  ["rows of a table", "    &[\n    (a, b),\n    ]", ["&[\n    \n    ]"]],
])("%s", (_, body, expected) => {
  expect(changed(body)).toEqual(expect.arrayContaining(expected));
});

test.each([
  ["comments", "    // if a == 1 { b(); }"],
  ["attributes", "    #[cfg(not(a))]"],
  ["generic parameters", "    a::<Vec<u8>>()"],
  ["the content of texts", '    f(c"a == 1")'],
])("%s stay as they are", (_, body) => {
  expect(changed(body)).toEqual([]);
});

test.each([
  ["fn f() {", "{  }"],
  ["fn f() -> io::Result<()> {", "{ Ok(()) }"],
  ["fn f(a: &str) -> Option<Vec<u8>> {", "{ None }"],
  ["fn f(\n    a: A,\n) -> bool {", "{ false }"],
])("%s does nothing", (head, expected) => {
  expect(mutantsOf("src/one.rs", `${head}\n    a\n}\n`).map(({ replacement }) => replacement)).toContain(expected);
});

test("a mutant says where it is", () => {
  const source = "const A: usize = 1;\n\nimpl B {\n    pub fn c(&self) -> u8 {\n        self.d + 1\n    }\n}\n";
  expect(mutantsOf("src/one.rs", source).map(({ place, lines: [line], original }) => [place, line, original])).toEqual([
    ["c", 5, "+"],
    ["A", 1, "1"],
    ["c", 5, "1"],
  ]);
});
