import { expect, test } from "vitest";
import { explainRule, ruleNamed } from "../../../cli/lint/explain-rule.ts";
import { paragraphsOf } from "../../../cli/page/prose.ts";
import { rules } from "../../../cli/rules/index.ts";

test("paragraphs, entries, code and strong words become pieces, without line breaks", () => {
  expect(paragraphsOf("Wrap **every** plugin\nof the `list`.\n\nIt has:\n- one\n  entry\n- `a ** b`\n")).toEqual([
    {
      isEntry: false,
      pieces: [
        { kind: "text", text: "Wrap " },
        { kind: "strong", text: "every" },
        { kind: "text", text: " plugin of the " },
        { kind: "code", text: "list" },
        { kind: "text", text: "." },
      ],
    },
    { isEntry: false, pieces: [{ kind: "text", text: "It has:" }] },
    { isEntry: true, pieces: [{ kind: "text", text: "one entry" }] },
    { isEntry: true, pieces: [{ kind: "code", text: "a ** b" }] },
  ]);
});

test("no rule's page has markup that is left over", () => {
  for (const { code } of rules) {
    const texts = paragraphsOf(explainRule(ruleNamed(code))).flatMap(({ pieces }) => pieces);
    const plain = texts.flatMap(({ kind, text }) => (kind === "code" ? [] : text));
    expect([code, plain.filter((text) => /[`\n]|\*\*|^#|\]\(/.test(text))]).toEqual([code, []]);
  }
});
