import { describe, expect, test } from "vitest";
import { sideBySide, type Work } from "../../support/side-by-side.ts";

/** Work that ends when it is told to, and the order in which it started. */
function workbench() {
  const started: string[] = [];
  const ends = new Map<string, (failure?: Error) => void>();
  const piece = (name: string, needs: string[] = [], lanes = 1): Work<string> => ({
    name,
    needs,
    lanes,
    run: (done) => {
      started.push([name, ...needs.map((need) => done.get(need))].join(" "));
      return new Promise((resolve, reject) =>
        ends.set(name, (failure) => (failure ? reject(failure) : resolve(`${name} is done`))),
      );
    },
  });
  const end = async (name: string, failure?: Error) => {
    ends.get(name)?.(failure);
    await new Promise(setImmediate);
  };
  return { started, piece, end };
}

describe("work side by side", () => {
  test("starts in order, in as many lanes as there are", async () => {
    const { started, piece, end } = workbench();
    const all = sideBySide([piece("a"), piece("b"), piece("c")], 2);
    expect(started).toEqual(["a", "b"]);
    await end("b");
    expect(started).toEqual(["a", "b", "c"]);
    await end("c");
    await end("a");
    expect([...(await all).keys()]).toEqual(["b", "c", "a"]);
  });

  test("keeps free lanes for a piece that takes two", async () => {
    const { started, piece, end } = workbench();
    const all = sideBySide([piece("a"), piece("b", [], 2), piece("c")], 2);
    expect(started).toEqual(["a"]);
    await end("a");
    expect(started).toEqual(["a", "b"]);
    await end("b");
    expect(started).toEqual(["a", "b", "c"]);
    await end("c");
    expect((await all).size).toBe(3);
  });

  test("waits for what a piece needs, and hands it on", async () => {
    const { started, piece, end } = workbench();
    const all = sideBySide([piece("late", ["early"]), piece("early")], 3);
    expect(started).toEqual(["early"]);
    await end("early");
    expect(started).toEqual(["early", "late early is done"]);
    await end("late");
    expect((await all).get("late")).toBe("late is done");
  });

  test("a piece with more lanes than there are runs alone", async () => {
    const { started, piece, end } = workbench();
    const all = sideBySide([piece("wide", [], 3), piece("a")], 2);
    expect(started).toEqual(["wide"]);
    await end("wide");
    await end("a");
    expect((await all).size).toBe(2);
  });

  test("an error comes when the others have ended", async () => {
    const { piece, end } = workbench();
    let outcome = "runs";
    const all = sideBySide([piece("a"), piece("b")], 2).catch((error: Error) => {
      outcome = error.message;
    });
    await end("a", new Error("broken"));
    expect(outcome).toBe("runs");
    await end("b");
    await all;
    expect(outcome).toBe("broken");
  });

  test("work that waits for itself is refused", async () => {
    const { piece } = workbench();
    await expect(sideBySide([piece("a", ["b"]), piece("b", ["a"])], 2)).rejects.toThrow("never ready: a, b");
  });
});
