import { expect, test } from "vitest";
import { stepsOf } from "../../nomad/runbook.ts";

const block = (above: string) => `${above}\n\n\`\`\`sh\none\ntwo\n\`\`\`\n`;

test("a block has a heading and a place", () => {
  const page = `# Page\n\n## First\n\nText.\n\n${block("On every client:")}\n## Second\n\n${block("On your machine:")}`;
  expect(stepsOf(page)).toEqual([
    { title: "First", place: "every client", commands: "one\ntwo\n", output: undefined },
    { title: "Second", place: "your machine", commands: "one\ntwo\n", output: undefined },
  ]);
});

test.each([["Text."], ["On the moon:"], ["On every client: now"]])("a block below %j has no place", (above) => {
  expect(() => stepsOf(`## First\n\n${block(above)}`)).toThrow("no line says where these commands run");
});

test("what the page shows below a block is its output", () => {
  const page = `## First\n\n${block("On every client:")}\n\`\`\`text\nthree\n\nfour\n\`\`\`\n`;
  expect(stepsOf(page)).toMatchObject([{ output: "three\n\nfour" }]);
});

test("a block of another language is no step", () => {
  expect(stepsOf('## First\n\n```json\n{ "a": 1 }\n```\n')).toEqual([]);
});
