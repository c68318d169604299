import { expect, test } from "vitest";
import { follow } from "../../../reports/matrix/course.ts";

const passing = async () => {};
const failing = async () => {
  throw new Error("no");
};

test("a step that fails is told with its error, and what needs it is left out", async () => {
  const results = await follow([
    { name: "ADD", run: passing },
    { name: "CHECK", needs: "ADD", run: failing },
    { name: "fault seen", needs: "CHECK", run: passing },
    { name: "DEL", needs: "ADD", run: passing },
  ]);
  expect(results).toEqual([{ name: "ADD" }, { name: "CHECK", error: "no" }, { name: "DEL" }]);
});

test("a step after a step that was left out is left out, too", async () => {
  const results = await follow([
    { name: "ADD", run: failing },
    { name: "DEL", needs: "ADD", run: passing },
    { name: "nothing left", needs: "DEL", run: passing },
  ]);
  expect(results).toEqual([{ name: "ADD", error: "no" }]);
});
