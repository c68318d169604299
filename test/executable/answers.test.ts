import { describe, expect } from "vitest";
import { errorOf, inTurn, test } from "./support/machine.ts";

const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: "/run/netns/blue" }] };
/** An ADD. The wrapper splices its answer. */
const second = { configuration: { prevResult, wrapper: { ifName: "eth1", role: "creator" } } };
const deep = `{"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;

const unreadable: [string, string | Uint8Array, string][] = [
  ["nothing", "", "it is not a JSON object"],
  ["white space", " \n", "it is not a JSON object"],
  ["no JSON", "done\n", "it is not a JSON object"],
  ["half an object", '{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/24"', "it is not a JSON object"],
  ["a list", "[]", "it is not a JSON object"],
  ["null", "null", "it is not a JSON object"],
  ["two objects", "{}\n{}\n", "it is not a JSON object"],
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "it is not a JSON object"],
  ["a byte order mark", "\uFEFF{}", "it is not a JSON object"],
  ["UTF-16", Buffer.from("{}", "utf16le"), "it is not a JSON object"],
  ["a NUL behind it", "{}\0", "it is not a JSON object"],
];

const unusable: [string, string, string][] = [
  ["an index out of range", '{"ips":[{"address":"10.0.0.2/24","interface":0}]}', "result.ips[0].interface is outside"],
  ["a wrong type", '{"interfaces":{"name":"eth1"}}', "result.interfaces must be a list"],
  ["another version", '{"cniVersion":"2.0.0"}', "a result of cniVersion 2.0.0 cannot be spliced"],
  ["deep nesting", deep, "it is nested too deeply"],
];

describe.each([...inTurn(["second", "only"], unreadable), ...inTurn(["second"], unusable)])(
  "the %s interface's ADD is answered by %s",
  (place, _, answer, says) => {
    test("code 102, and nothing is left behind: the delegate's DEL has been run", async ({ machine }) => {
      machine.answer("ADD", answer);
      const ended = await machine.call(place === "second" ? second : {});
      expect(ended).toMatchObject({ exitCode: 1, signal: undefined, stderr: "" });
      const msg = "output of delegate plain is invalid";
      expect(errorOf(ended)).toMatchObject({ code: 102, msg, details: expect.stringContaining(says) });
      expect(machine.calls()).toEqual(["ADD", "DEL"]);
      expect(machine.received("DEL")).toEqual(machine.received("ADD"));
    });
  },
);

test.for(unusable)("an only interface's ADD is answered by %s: passed on", async ([_, answer], { machine }) => {
  machine.answer("ADD", answer);
  expect(await machine.call()).toMatchObject({ exitCode: 0, stdout: answer, stderr: "" });
  expect(machine.calls()).toEqual(["ADD"]);
});

test("an answer of just under 8 MiB is spliced", async ({ machine }) => {
  const filler = "x".repeat(8 * 1024 * 1024 - 100);
  machine.answer("ADD", JSON.stringify({ filler, interfaces: [{ name: "eth1", sandbox: "/run/netns/blue" }] }));
  const { exitCode, stdout } = await machine.call(second);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ filler, interfaces: [{ name: "eth0" }, { name: "eth1" }] });
});

test("that the clean-up failed as well is told with the first error", async ({ machine }) => {
  machine.answer("ADD", "done");
  machine.answer("DEL", '{"code":11,"msg":"busy"}');
  const ended = await machine.call({ ...second, delegate: "fails-del" });
  expect(errorOf(ended)).toMatchObject({
    code: 102,
    details: expect.stringMatching(/it is not a JSON object.*The delegate's DEL failed as well: busy$/),
  });
});
