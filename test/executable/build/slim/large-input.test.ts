import { expect, test } from "vitest";
import { skipEmulated } from "../../support/emulator.ts";
import { Machine } from "../../support/machine.ts";

const large = `"${"x".repeat(40_000)}"`;

/** The lengths of the texts and values that a call writes to the delegate's stdin. */
async function written(text: string, command = "CHECK", log?: string): Promise<number[]> {
  const machine = new Machine();
  const trace = machine.path("trace");
  const through = ["strace", "-qq", "-f", "-e", "trace=pwrite64", "-o", trace];
  const block = JSON.stringify({ delegate: "plain", network: "disc", log: log && { file: machine.path(log) } });
  const stdin = `{"cniVersion":"1.0.0","wrapper":${block},"name":"zone",${text}}`;
  expect(await machine.call({ command, stdin, through })).toMatchObject({ exitCode: 0 });
  return [...String(machine.read("trace")).matchAll(/pwrite64\(.* = (\d+)$/gm)].map(([, length]) => Number(length));
}

test.for([
  ["a large text", `"more":${large}`, [40_002]],
  ["a large list and a large object", `"a":[${large},1],"more":0,"b":{"c":${large}}`, [40_006, 40_008]],
] as const)("CHECK writes %s from the bytes on stdin", async ([, text, lengths], context) => {
  skipEmulated(context, "strace does not see the emulated calls");
  const all = await written(text);
  expect(all.filter((_, index) => index % 2 === 1)).toEqual(lengths);
  expect(all).toHaveLength(2 * lengths.length + 1);
});

test.for([
  ["a smaller value", `"more":"${"x".repeat(20_000)}"`],
  ["a value in which the wrapper looks", `"ipam":[${large}]`],
  ["such a value with a key that Go takes for it", `"IPAM":[${large}]`],
  ["a number that JSON.stringify may write differently", `"more":[${large},1.0]`],
  ["space between values", `"more":[${large}, 1]`],
  ["a key twice", `"more":${large},"more":${large}`],
  ["a key that JavaScript moves", `"7":${large}`],
  ["another verb", `"more":${large}`, "STATUS"],
  ["a log", `"more":${large}`, "CHECK", "log"],
] as const)("%s: the whole text is parsed and written", async ([, text, command, log], context) => {
  skipEmulated(context, "strace does not see the emulated calls");
  expect(await written(text, command, log)).toHaveLength(1);
});

test("a log has the whole value, and so has the delegate", async () => {
  const machine = new Machine();
  const wrapper = { log: { file: machine.path("log"), level: "debug" } };
  await machine.call({ command: "CHECK", configuration: { wrapper, more: "x".repeat(40_000) } });
  const logged = String(machine.read("log"));
  expect(logged.split(large)).toHaveLength(3);
  expect(String(machine.received("CHECK"))).toContain(`"more":${large}`);
});
