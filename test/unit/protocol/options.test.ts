import { describe, expect, test } from "vitest";
import { argsProblem, isArgs, isPorts, portsProblem, waitProblem } from "../../../shared/protocol/options.ts";

describe("wrapper.args", () => {
  test.each([["keep"], [{}], [{ IP: "ETH1_IP", MAC: "ETH1_MAC" }], [{ IP: "IP" }]])("%j is right", (value) => {
    expect(argsProblem(value)).toBeUndefined();
    expect(isArgs(value)).toBe(true);
  });

  const either = 'must be "keep" or an object such as { "IP": "ETH1_IP" }';
  test.each([
    ["drop", either],
    [null, either],
    [{ IP: 1 }, 'must map one key of CNI_ARGS to another, not "IP" to 1'],
    [{ IP: "" }, 'must map one key of CNI_ARGS to another, not "IP" to ""'],
    [{ "": "ETH1_IP" }, 'must map one key of CNI_ARGS to another, not "" to "ETH1_IP"'],
    [{ IP: "A", MAC: "A;B" }, 'must map one key of CNI_ARGS to another, not "MAC" to "A;B"'],
    [{ IP: 1, MAC: 2 }, 'must map one key of CNI_ARGS to another, not "IP" to 1'],
    [{ "IP=": "A" }, 'must map one key of CNI_ARGS to another, not "IP=" to "A"'],
    [{ IP: "A\0" }, 'must map one key of CNI_ARGS to another, not "IP" to "A\\u0000"'],
  ])("%j: %s", (value, problem) => {
    expect(argsProblem(value)).toBe(problem);
    expect(isArgs(value)).toBe(false);
  });
});

describe("wrapper.ports", () => {
  test.each([
    [{ only: [443, "8000-8999"] }],
    [{ only: [1, 65535, "1-65535", "443", "80-80"] }],
    // A later check names the unknown key and the nearest known one.
    [{ onyl: [443] }],
  ])("%j is right", (value) => {
    expect(portsProblem(value)).toBeUndefined();
    expect(isPorts(value)).toBe(true);
  });

  test.each([
    [[443], 'must be an object with "only" or "except"'],
    [null, 'must be an object with "only" or "except"'],
    [{}, 'must have "only" or "except"'],
    [{ only: [443], except: [80] }, 'must have "only" or "except", not both'],
    [{ only: 443 }, 'must have a list of ports under "only"'],
    [{ except: null }, 'must have a list of ports under "except"'],
    [{ only: [443, 0] }, 'has 0 under "only", which is outside 1 to 65535'],
    [{ only: ["8000-70000"] }, 'has "8000-70000" under "only", which is outside 1 to 65535'],
    [{ only: ["80-0"] }, 'has "80-0" under "only", which is outside 1 to 65535'],
    [{ only: ["70000-80"] }, 'has "70000-80" under "only", which is outside 1 to 65535'],
    [{ only: ["0-80"] }, 'has "0-80" under "only", which is outside 1 to 65535'],
    [{ except: ["8999-8000"] }, 'has "8999-8000" under "except", which begins with the higher port'],
    [{ only: ["http"] }, 'has "http" under "only", which is not a port or a range such as "8000-8999"'],
    [{ only: ["80-"] }, 'has "80-" under "only", which is not a port or a range such as "8000-8999"'],
    [{ only: [443.5] }, 'has 443.5 under "only", which is not a port or a range such as "8000-8999"'],
    [{ only: [null] }, 'has null under "only", which is not a port or a range such as "8000-8999"'],
  ])("%j: %s", (value, problem) => {
    expect(portsProblem(value)).toBe(problem);
    expect(isPorts(value)).toBe(false);
  });
});

test("wrapper.slaac.wait is a time from 1s to 30s", () => {
  expect(["1s", "30s"].map(waitProblem)).toEqual([undefined, undefined]);
  for (const wait of ["0s", "31s", "x5s", "5sx", "5"])
    expect(waitProblem(wait)).toBe('must be a time from "1s" to "30s"');
});
