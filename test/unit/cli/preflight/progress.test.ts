import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporary } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand } from "../../support/fake-terminal.ts";

test.each(["preflight", "adopt", "status"])("%s shows a bar on a terminal while it checks", async (command) => {
  const directory = temporary();
  for (const containerId of ["c1", "c2", "c3"]) writeResult(directory, { containerId, netns: "/none" });
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 2000));
  onTestFinished(() => clock.mockRestore());
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const progress = stream as unknown as NodeJS.WriteStream;
  const { stderr } = await runCommand([command, "--cache-dir", directory], { progress });
  expect(String(stream.read())).toContain("1 of 3 attachments");
  expect(stderr).toBe("");
});
