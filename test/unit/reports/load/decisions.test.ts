import { expect, test } from "vitest";
import { wrappedChains } from "../../../reports/load/chains.ts";
import { livesOf } from "../../../reports/load/decisions.ts";

const lives = livesOf(wrappedChains, 300, 7);
const kills = lives.flatMap((life) => Object.values(life.kills).map((kill) => ({ ...kill, life })));

test("a seed makes the same lives again, and another seed makes others", () => {
  expect(livesOf(wrappedChains, 300, 7)).toEqual(lives);
  expect(livesOf(wrappedChains, 100, 7)).toEqual(lives.slice(0, 100));
  expect(livesOf(wrappedChains, 300, 8)).not.toEqual(lives);
});

test("each executable of each chain is killed, soon or late", () => {
  for (const { list, executables } of wrappedChains) {
    const own = kills.filter(({ life }) => life.chain.list.name === list.name);
    expect(new Set(own.map(({ executable }) => executable))).toEqual(new Set(executables));
  }
  const delays = kills.map(({ milliseconds }) => milliseconds);
  expect(Math.min(...delays)).toBeLessThan(5);
  expect(Math.max(...delays)).toBeGreaterThan(400);
  expect(Math.max(...delays)).toBeLessThanOrEqual(512);
});

test("about one call in five gets a kill, and after half of the kills the runtime runs DEL first", () => {
  expect(kills.length).toBeGreaterThan(120);
  expect(kills.length).toBeLessThan(240);
  const delFirst = lives.filter((life) => life.delFirst);
  expect(delFirst.length).toBeGreaterThan(100);
  expect(delFirst.length).toBeLessThan(200);
});
