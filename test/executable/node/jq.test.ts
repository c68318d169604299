import { describe, expect } from "vitest";
import { errorOf, handedOver, Machine, test } from "../support/machine.ts";

describe.each(handedOver)("wrapper.jq on %s", (command) => {
  test("changes what the delegate gets", async ({ machine }) => {
    const wrapper = { jq: 'del(.ports[] | select(. == 80)) | .name += "-2"' };
    await machine.call({ command, configuration: { ports: [80, 443], wrapper } });
    expect(JSON.parse(String(machine.received(command)))).toMatchObject({ name: "zone-2", ports: [443] });
  });

  test("leaves the delegate the wrapper's process, with nothing of jq's in it", async ({ machine }) => {
    const [plain, filtered] = [
      await machine.call({ command, delegate: "process-state" }),
      await machine.call({ command, delegate: "process-state", configuration: { wrapper: { jq: "." } } }),
    ];
    const lines = (state: string) => state.split("\n").filter((line) => !/^0 -> |\/process-state$/.test(line));
    const steady = (state: string) => lines(state).map((line) => line.replace(/:\[\d+\]/, ""));
    expect(steady(filtered.stdout)).toEqual(steady(plain.stdout));
  });
});

test("a mistake is an error with its place in the program", async () => {
  const ended = await new Machine().call({ configuration: { wrapper: { jq: ".ports | map(" } } });
  expect(errorOf(ended)).toMatchObject({
    code: 7,
    msg: "invalid plugin configuration: wrapper.jq, line 1, column 13: syntax error, unexpected end of file",
  });
});

test("a program that does not end is ended", async () => {
  const ended = await new Machine().call({ configuration: { wrapper: { jq: "def f: f; f" } } });
  expect(errorOf(ended)).toMatchObject({
    code: 7,
    msg: expect.stringContaining("wrapper.jq: it takes longer than 10 s"),
  });
});

test("a program that fills the memory is ended", async () => {
  const ended = await new Machine().call({ configuration: { wrapper: { jq: '"x" * 3e8 | length' } } });
  expect(errorOf(ended)).toMatchObject({
    code: 7,
    msg: "invalid plugin configuration: wrapper.jq: jq aborted; a program has 256 MiB of memory",
  });
});
