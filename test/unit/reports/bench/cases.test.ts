import { expect, test } from "vitest";
import { growthCases } from "../../../reports/bench/cases.ts";

test("each result has as many interfaces, addresses and routes as it says", () => {
  const counts = growthCases.interfaces.map(({ title, request }) => {
    const { interfaces, ips, routes } = (request as { prevResult: Record<string, unknown[]> }).prevResult;
    return [title, interfaces?.length, ips?.length, routes?.length];
  });
  expect(counts).toEqual([2, 8, 32, 128].map((count) => [`${count} interfaces`, count, count, count]));
});

test("each configuration is as large as it says, and a little more", () => {
  const sizes = growthCases.configuration.map(({ request }) => JSON.stringify(request).length / 1024);
  expect(sizes.map(Math.floor)).toEqual([1, 32, 1024]);
});
