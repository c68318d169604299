import { describe, expect } from "vitest";
import { errorOf, handedOver, inTurn, test } from "./support/machine.ts";

const signals = [["SIGKILL"], ["SIGTERM"], ["SIGSEGV"], ["SIGPIPE"], ["SIGABRT"]] as const;

describe.each(inTurn(handedOver, signals))("%s, and a delegate that ends by %s", (command, signal) => {
  const env = { SIGNAL: signal.slice(3) };

  test("the wrapper's process is seen to end by it", async ({ machine }) => {
    const ended = await machine.call({ command, delegate: "dies", env });
    expect(ended).toMatchObject({ exitCode: undefined, signal, stdout: "", stderr: "dying\n" });
    expect(ended).toEqual(await machine.bare({ command, delegate: "dies", env }));
  });

  test("ADD: code 101", async ({ machine }) => {
    const ended = await machine.call({ delegate: "dies", env });
    expect(ended).toMatchObject({ exitCode: 1, signal: undefined, stderr: "dying\n" });
    expect(errorOf(ended)).toMatchObject({
      code: 101,
      msg: "delegate dies died",
      details: expect.stringContaining(`it was killed by ${signal}`),
    });
    expect(machine.calls()).toEqual(["ADD"]);
  });
});

test("ADD: a delegate that ends by a signal without a name", async ({ machine }) => {
  machine.file("plain", "#!/bin/sh\nkill -40 $$\n", 0o755);
  const { details } = errorOf(await machine.call({ env: { CNI_PATH: machine.directory } }));
  expect(details).toMatch(/^it was killed by a real-time signal\. /);
});

// The kernel keeps nothing of the children of such a process to wait for.
test("a caller that ignores SIGCHLD gets the delegate's answer", async ({ machine }) => {
  // dash does not ignore it when told so.
  const through = ["perl", "-e", '$SIG{CHLD} = "IGNORE"; exec @ARGV'];
  expect(await machine.call({ through })).toMatchObject({ exitCode: 0, stdout: "{}", stderr: "" });
});
