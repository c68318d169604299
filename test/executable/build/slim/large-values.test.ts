import fc from "fast-check";
import { expect, test } from "vitest";
import { errorOf, Machine } from "../../support/machine.ts";

// The slim flavor has another JSON parser than Node. What a plugin gets is the same to the byte.

/** JSON that JSON.stringify would write in the same way. */
const plain = [
  ...["0", "7", "-5", "123456789012345", "true", "false", "null", '""', '"a b"', '"é🙂\u2028\u007f"', '"a,[{\\"}]:"'],
  ...['"\\b\\t\\n\\f\\r\\\\"', "[]", "{}", "[1,[2]]", '{"a":1,"b":{"a":2}}', '{"":0}', '{"__proto__":{"x":1},"a2":[]}'],
  ...['{"name":"type","constructor":{"type":"\u007f~"}}', '{"b":1,"a":2,"B":3}', `${"[".repeat(90)}${"]".repeat(90)}`],
];

/** JSON that JSON.stringify would write differently. */
const otherwise = [
  ...["-0", "1.0", "0.10", "1e2", "1E5", "-1.5e+3", "12345678901234567890", "0.1234567890123456789"],
  ...['"\\u0041"', '"\\/"', '"\\u000A"', '"\\u000a"', '"\\ud83d\\ude42"', '"\\u00e9"', "[ ]", "[1, 2]", '{"a" :1}'],
  ...['{"a":1,"a":2}', '{"a":1,"b":0,"a":2}', '{"2":1,"1":2}', '{"a":1,"0":2}', '{"a":1,"\\u0061":2}', "\t[]\n"],
  ...['{"type":1,"name":0,"type":2}', '{ "type" : 1 }', '{"typ\\u0065":1}'],
];

/** JSON that JSON.stringify would write in the same way, but that few configurations have. */
const seldom = [
  "0.5",
  "1e+21",
  "1234567890123456",
  '"\\u001f"',
  '"\\ud800"',
  '{"1":0}',
  `${"[".repeat(300)}${"]".repeat(300)}`,
];

/** These are no JSON. */
const wrong = [
  ...[
    "01",
    "-",
    "+1",
    ".5",
    "1.",
    "1e",
    "0x1",
    "nul",
    "True",
    "undefined",
    "",
    '"a',
    '"\t"',
    '"\\x"',
    '"\\u12"',
    "'a'",
  ],
  ...[
    "[1,]",
    "[,1]",
    "[1 2]",
    "[",
    "{]",
    '{"a"}',
    '{"type"}',
    '{"type":1,}',
    '{"type',
    '{"type\\"',
    '{"type\n":1}',
    '{"a":}',
    '{"a":1,}',
    "{a:1}",
    "{1:1}",
    '{"a":1 "b":2}',
    "[1]]",
    "/**/1",
  ],
];

const large = 40_000;

/** A configuration with a large list of these texts. */
function configurationOf(texts: readonly string[], { key = '"more"', before = "", after = "" } = {}): string {
  const list = `["${"x".repeat(large)}",${texts.join(",")}]`;
  const block = '"cniVersion":"1.0.0","wrapper":{"delegate":"plain","network":"disc"},"name":"zone"';
  return `${before}{"first":0,${key}:${list},${block},"last":[1]}${after}`;
}

function refuseInfinite(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError("too large");
  return value;
}

/** The delegate's stdin; undefined if the wrapper must refuse the configuration. */
function expected(text: string): string | undefined {
  try {
    const { wrapper: _, prevresult: _removed, ...rest } = JSON.parse(text, refuseInfinite);
    return JSON.stringify({ ...rest, name: "disc", type: "plain" });
  } catch {
    return undefined;
  }
}

/** What the delegate gets on CHECK; undefined if the wrapper refuses the configuration. */
async function received(stdin: string): Promise<string | undefined> {
  const machine = new Machine();
  const ended = await machine.call({ command: "CHECK", stdin });
  if (ended.exitCode === 0) return machine.received("CHECK")?.toString();
  const details = expect.stringMatching(/it is not JSON|it has a number that is too large/);
  expect(errorOf(ended)).toMatchObject({ code: 6, details });
  expect(machine.calls()).toEqual([]);
  return undefined;
}

const keys = [
  '"more"',
  '"é"',
  '"7"',
  '"more\\u0041"',
  '"last"',
  '"name"',
  '"runtimeConfig"',
  '"prevresult"',
  '"a b"',
  '"__proto__"',
];

const configurations = fc
  .record({
    texts: fc.array(
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...plain) },
        { weight: 2, arbitrary: fc.constantFrom(...otherwise, ...seldom) },
        { weight: 1, arbitrary: fc.constantFrom(...wrong) },
      ),
      { minLength: 1, maxLength: 5 },
    ),
    key: fc.oneof({ weight: 4, arbitrary: fc.constant('"more"') }, fc.constantFrom(...keys)),
    before: fc.constantFrom("", "", "", "", " ", "\uFEFF"),
    after: fc.constantFrom("", "", "", "", "\n", "}", ",", "0"),
  })
  .map(({ texts, ...around }) => configurationOf(texts, around));

test("what the delegate gets is what JSON.stringify writes, or the configuration is refused", async () => {
  const property = fc.asyncProperty(configurations, async (text) => {
    expect(await received(text)).toBe(expected(text));
  });
  await fc.assert(property, { numRuns: 100 });
});

test("the bytes as they came would be something else", async () => {
  const property = fc.property(configurations, (text) => {
    expect(expected(text)).toContain(/\["x.*\]/s.exec(text)?.[0]);
  });
  expect(fc.check(property, { numRuns: 150 }).failed).toBe(true);
});

test.each([...otherwise, ...seldom, ...plain])("%j in a large value", async (text) => {
  const stdin = configurationOf([text]);
  expect(await received(stdin)).toBe(expected(stdin));
});

test.each(wrong)("%j in a large value is refused", async (text) => {
  expect(await received(configurationOf([text]))).toBeUndefined();
});

test("a large value with another character, or cut off, is handed on as JSON.stringify writes it, or refused", async () => {
  const whole = configurationOf(plain);
  const [start, end] = [whole.lastIndexOf("xx"), whole.indexOf('],"cniVersion"')];
  const character = fc.constantFrom(...'{}[]:,"\\ 01-eax');
  const property = fc.asyncProperty(
    fc.integer({ min: start, max: end }),
    character,
    fc.boolean(),
    async (at, other, isCut) => {
      const text = Buffer.from(whole.slice(0, at) + (isCut ? "" : other + whole.slice(at + 1))).toString();
      expect(await received(text)).toBe(expected(text));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
