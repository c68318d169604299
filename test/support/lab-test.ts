import { test as base } from "vitest";
import { type Container, Lab } from "./lab.ts";

export { afterAll, beforeAll, describe, expect } from "vitest";

/** A test that gets a lab of its own, with the container `c1` if it asks for it. */
export const test = base.extend<{ lab: Lab; container: Container }>({
  lab: async ({ task: _ }, use) => {
    await using lab = await Lab.start();
    await use(lab);
  },
  container: async ({ lab }, use) => use(await lab.addContainer("c1")),
});
