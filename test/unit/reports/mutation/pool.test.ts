import { afterAll, expect, test } from "vitest";
import { WarmWorker } from "../../../reports/mutation/pool.ts";

const script = `
  const { test } = require("vitest");
  test("new files", () => {
    if (process.umask() === 0o777) throw new Error("nobody can open a new file");
    if (__isOn(1)) process.umask(0o777);
  });`;

const worker = new WarmWorker([{ test: "one", script, files: [], required: ["vitest"] }]);
afterAll(() => worker.stop());

test("a mutant that leaves its worker unfit for tests kills no other one", async () => {
  const run = (mutant: number | undefined) =>
    worker.run({ mutant, tests: [{ test: "one", mostAsked: 9 }], limitMs: 20_000 });
  expect(await run(undefined)).toMatchObject({ failed: undefined, isSpoiled: false });
  expect(await run(1)).toMatchObject({ failed: undefined, isSpoiled: true });
  expect(await run(2)).toMatchObject({ failed: undefined, isSpoiled: false });
});
