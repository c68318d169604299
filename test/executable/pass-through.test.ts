import { describe, expect } from "vitest";
import { bytesOf, handedOver, inTurn, test, verbs } from "./support/machine.ts";

const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: "/run/netns/blue" }] };

const adds = ["ADD"] as const;
const codes = [[1], [3], [77], [255]] as const;

test.for([...verbs.map((verb) => [verb, 0] as const), ...inTurn(adds, codes), ...inTurn(handedOver, codes)])(
  "%s: the delegate's exit code %i is the wrapper's",
  async ([command, exitCode], { machine }) => {
    const ended = await machine.call({ command, env: { EXIT_CODE: String(exitCode) } });
    expect(ended).toEqual({ exitCode, signal: undefined, stdout: "{}", stderr: "" });
    expect(machine.calls()).toEqual([command]);
  },
);

const failures: [string, string | Uint8Array][] = [
  ["an error", '{ "cniVersion": "1.0.0",\n\t"code": 11, "msg": "try again", "details": "\\u00e9 é" }'],
  ["no error at all", "panic: runtime error\n\ngoroutine 1 [running]:\n"],
  ["bytes that are no text", Buffer.from([0, 255, 10, 13, 0])],
  ["nothing", ""],
];

test.for([...inTurn(adds, failures), ...inTurn(handedOver, failures)])(
  "%s: what it prints when it fails is passed on byte for byte: %s",
  async ([command, _, answer], { machine }) => {
    machine.answer(command, answer);
    const ended = await machine.call({ command, env: { EXIT_CODE: "1" } });
    expect(ended).toMatchObject({ exitCode: 1, stdout: bytesOf(answer) });
    expect(machine.calls()).toEqual([command]);
  },
);

describe.each(verbs)("%s", (command) => {
  test("its stderr is the wrapper's", async ({ machine }) => {
    const WORDS = "warning: é\nno end of line";
    expect(await machine.call({ command, env: { WORDS } })).toMatchObject({ exitCode: 0, stderr: WORDS });
  });

  test("its stdin is its own configuration, unknown keys and all, and nothing else", async ({ machine }) => {
    const rest = { bridge: "br0", ipam: { type: "static" }, runtimeConfig: {}, é: ["\u2028", '"', 1e-7, null] };
    await machine.call({ command, configuration: { ...rest, wrapper: { network: "disc" } } });
    expect(machine.received(command)?.toString()).toBe(
      JSON.stringify({ cniVersion: "1.0.0", name: "disc", type: "plain", ...rest }),
    );
  });
});

test.for(handedOver)("%s: what it prints when it succeeds is passed on byte for byte", async (command, { machine }) => {
  const answer = Buffer.from([0x7b, 0x20, 0xff, 0x00, 0x7d, 0x0a, 0x0a]);
  machine.answer(command, answer);
  expect(await machine.call({ command })).toMatchObject({ exitCode: 0, stdout: bytesOf(answer) });
});

test("ADD: a result in which nothing need be changed is passed on byte for byte", async ({ machine }) => {
  const answer = '{"n": 12345678901234567890,\n  "interfaces":[{"name": "eth0", "sandbox":"/run/netns/blue"}]}\n\n';
  machine.answer("ADD", answer);
  expect(await machine.call()).toMatchObject({ exitCode: 0, stdout: answer, stderr: "" });
});

test("ADD behind another creator: the spliced result, once", async ({ machine }) => {
  machine.answer("ADD", '{"cniVersion":"1.0.0","interfaces":[{"name":"eth1","sandbox":"/run/netns/blue"}]}');
  const wrapper = { ifName: "eth1", role: "creator" };
  const { exitCode, stdout } = await machine.call({ configuration: { prevResult, wrapper } });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    cniVersion: "1.0.0",
    interfaces: [
      { name: "eth0", sandbox: "/run/netns/blue" },
      { name: "eth1", sandbox: "/run/netns/blue" },
    ],
  });
  expect(machine.received("ADD")?.toString()).not.toContain("prevResult");
});

describe("the name that the executable is started by names the delegate", () => {
  const named = { through: ["bash", "-c", 'exec -a /any/where/plain-wrapper "$@"', "bash"] };

  test("where the configuration does not", async ({ machine }) => {
    await machine.call({ command: "DEL", stdin: '{"cniVersion":"1.0.0","name":"zone"}', ...named });
    expect(machine.received("DEL")?.toString()).toBe('{"cniVersion":"1.0.0","name":"zone","type":"plain"}');
  });

  test("for VERSION: stdin and answer are the delegate's, unread and unchanged", async ({ machine }) => {
    machine.answer("VERSION", "any\0thing");
    const stdin = ' {"cniVersion":"0.4.0"} \n';
    const ended = await machine.call({ command: "VERSION", stdin, ...named });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "any\0thing" });
    expect(machine.received("VERSION")?.toString()).toBe(stdin);
  });
});
