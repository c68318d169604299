import { expect, test } from "vitest";
import { mutantsOf } from "../../../reports/mutation/mutants.ts";

/** The sources of the mutants of a source. */
function mutated(source: string): string[] {
  return mutantsOf("shared/one.ts", source).map(({ switch: { start, end, text } }) => {
    return source.slice(0, start) + text + source.slice(end);
  });
}

test.each([
  ["comparisons", "f(a === b, c < d);", ["f(a !== b, c < d);", "f(a === b, c <= d);"]],
  ["both operands of a logical expression", "f(a && b);", ["f(a || b);", "f(a);", "f(b);"]],
  ["?? by either side", "f(a ?? b);", ["f(a);", "f(b);"]],
  ["conditions", "if (a) f();", ["if (true) f();", "if (false) f();"]],
  ["the choice of ?:", "f(a ? b : c);", ["f(true ? b : c);", "f(false ? b : c);"]],
  ["a loop that is not entered", "while (a) f();", ["while (false) f();"]],
  ["negations", "f(!a);", ["f(a);"]],
  ["arithmetic", "f(a + (b * c));", ["f(a - (b * c));", "f(a + (b / c));"]],
  ["texts that are joined have no other operator", "f(a + `b`);", ['f(a + "");']],
  ["literals", 'f("a", "", 1, 2n, true);', ['f("", "", 1, 2n, true);', 'f("a", "mutated", 1, 2n, true);']],
  ["the ends of a pattern", "f(/^a$/);", ["f(/a$/);", "f(/^a/);"]],
  ["?.", "f(a?.b);", ["f(a.b);"]],
  ["a chain as a whole", "f(a?.b.filter(c).d);", ["f(a?.b.d);", "f(a.b.filter(c).d);"]],
  ["methods", "f(a.some(b).c);", ["f(a.every(b).c);"]],
  ["a method that is left out, after parentheses", "f((a).filter(b));", ["f((a));"]],
  ["a method that is left out, after a comment", "f(a\n// One. Two.\n.filter(b));", ["f(a\n// One. Two.\n);"]],
  ["lists and the spread values in them", "f([...a, b]);", ["f([]);", "f([...[], b]);"]],
  ["what an object is spread from", "f({ ...a });", ["f({ ...{} });"]],
  ["statements", "f();", ["undefined;"]],
  ["returned values", "const f = () => a;", ["const f = () => undefined;"]],
  ["returned decisions", "const f = () => a === b;", ["const f = () => true;", "const f = () => false;"]],
])("%s", (_, source, expected) => {
  expect(mutated(source)).toEqual(expect.arrayContaining(expected));
});

test.each([
  ["types", 'type A = "a" | 1; interface B { c: true }'],
  ["names in the syntax", 'import { a } from "./a.ts"; export * from "./b.ts";'],
  ["the names of properties", 'const { "a": b } = c;'],
  ["code that never runs", "switch (a) { default: throw a satisfies never; }"],
  ["what typeof is compared with", 'const a = typeof b === "c";'],
])("%s stay as they are", (_, source) => {
  expect(mutated(source)).toEqual(source.includes("===") ? ['const a = typeof b !== "c";'] : []);
});

test("a mutant says where it is", () => {
  const source = "const limit = 1;\n\nexport function f(a: number) {\n  return g(\n    () => a > limit,\n  );\n}\n";
  expect(mutantsOf("shared/one.ts", source, 40).at(-1)).toMatchObject({
    id: 44,
    file: "shared/one.ts",
    place: "f",
    lines: [5, 5],
    original: "a > limit",
    replacement: "a >= limit",
  });
});

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
