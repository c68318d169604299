import { afterAll, beforeAll, expect, test } from "vitest";
import type { Holder } from "../../../build/holder.ts";
import { linkIndex } from "../../../shared/host/node/link-index.ts";
import { holdLinks, indexes, noNamespaces } from "../support/links.ts";

let holder: Holder;

beforeAll(async () => {
  holder = await holdLinks();
});
afterAll(() => holder[Symbol.asyncDispose]());

test.each(Object.entries(indexes))("the index of %s is %i", (name, index) => {
  expect(linkIndex(`/proc/${holder.pid}/ns/net`, name)).toBe(index);
});

test.each(noNamespaces)("nobody can look into what is no network namespace: %j", (path) => {
  expect(linkIndex(path, "lo")).toBeUndefined();
});
