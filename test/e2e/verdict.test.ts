import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { candidateOf, judge, wordsOf } from "../reports/verdict-truth/compare.ts";
import { seenOf } from "../reports/verdict-truth/truth.ts";
import { exampleDirectory, plainListOf } from "../support/examples.ts";

const lists = [
  ["README's plain list", "plain.conflist", JSON.stringify(plainListOf("macvlan-bridge"))],
  ...["macvlan-bridge", "published-on-two", "limited"].map((name) => {
    const file = `${name}.conflist`;
    return [`the example ${name}`, file, readFileSync(path.join(exampleDirectory, file), "utf8")] as const;
  }),
] as const;

test.each(lists)(
  "each event of %s ends as explain says",
  async (_, name, text) => {
    const candidate = candidateOf(name, text);
    const compared = judge(candidate, wordsOf(await seenOf(candidate)));
    expect(compared.length).toBeGreaterThan(1);
    expect(compared.filter(({ isEqual }) => !isEqual)).toEqual([]);
  },
  60_000,
);
