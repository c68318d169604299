import { expect, test } from "vitest";
import { callWrapper, exits, type Outcome, printed } from "../support/fake-host.ts";
import fc from "../support/fast-check.ts";
import { chainedOf, journalFiles } from "../support/journals.ts";
import { bothResult } from "../support/results.ts";
import { resultOf, scenes } from "./scene.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };

/** JSON that is nearly right: known keys with values of every kind. */
const nearly = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom("eth0", "eth1", "/run/netns/blue", "10.0.0.2/24", "10.0.0.2/x", "10.0.0.1", "fd00::1", "1.0.0", ""),
    fc.constantFrom(null, true, 0, 1, -1, 0.5, 1e300),
    fc.string({ maxLength: 20, unit: "binary" }),
  ),
  list: fc.array(tie("any"), { maxLength: 4 }),
  object: fc.dictionary(
    fc
      .constantFrom(
        ...["interfaces", "ips", "routes", "dns", "name", "sandbox", "address", "interface", "gw", "nameservers"],
      )
      .chain((key) => fc.constantFrom(key, key, key, "ifName", "log", "cniVersion", "__proto__")),
    tie("any"),
    { maxKeys: 5, noNullPrototype: true },
  ),
  any: fc.oneof({ maxDepth: 5 }, tie("leaf"), tie("list"), tie("object")),
}));

/** A result with one part replaced by another value. */
const damaged = fc.tuple(scenes(), fc.nat({ max: 60 }), nearly.any).map(([scene, where, value]) => {
  let left = where;
  return JSON.parse(JSON.stringify(resultOf(scene)), (key, part) => (key !== "" && left-- === 0 ? value : part));
});
const prevResults = fc.oneof(nearly.object, damaged);

/** The JSON text of a prevResult that is no result: no object, or one that no engine or plugin takes. */
const unreadable = fc.oneof(
  nearly.any.map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.constantFrom(["[", "]"], ['{"ips":', "}"], ['[{"a":', "}]"]), fc.integer({ min: 1, max: 5000 }))
    .map(([[open, close], levels]) => `{"ips":${open.repeat(levels)}"]"${close.repeat(levels)}}`),
  fc.constantFrom("1e400", '{"ips":[],"metric":-1e400}'),
);
const calledAs = fc.constantFrom("bridge-wrapper", "tuning-wrapper");
const ifNames = fc.constantFrom("eth0", "eth1");
const verbs = fc.constantFrom("ADD", "CHECK", "DEL", "GC", "STATUS");

function call(CNI_COMMAND: string, stdin: unknown, calledAs = "bridge-wrapper"): Outcome {
  return callWrapper({ calledAs, env: { CNI_COMMAND }, stdin }, { answers: [exits(0, "{}")] });
}

/** Whether the call reached the delegate, or ended with an error of the catalogue, except the internal one. */
function isInOrder(outcome: Outcome): boolean {
  if (outcome.runs.length > 0) return outcome.exitCode === 0 && isOneAnswer(outcome);
  const { code } = printed(outcome);
  return outcome.exitCode === 1 && outcome.writes === 1 && [1, 4, 5, 6, 7, 103].includes(Number(code));
}

/** Whether stdout has one JSON object. A DEL that is skipped has nothing to say. */
function isOneAnswer({ stdout, runs }: Outcome): boolean {
  if (stdout === "") return runs[0]?.env.CNI_COMMAND === "DEL";
  const answer = JSON.parse(stdout);
  return typeof answer === "object" && answer !== null;
}

test("every stdin gets one answer", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.uint8Array(),
    nearly.any.map((value) => JSON.stringify(value)),
    fc.tuple(prevResults, nearly.any).map(([prevResult, wrapper]) => JSON.stringify({ ...zone, prevResult, wrapper })),
    prevResults.map((prevResult) => JSON.stringify({ ...zone, prevResult })),
  );
  fc.assert(fc.property(verbs, texts, (verb, stdin) => isInOrder(call(verb, stdin))));
});

const prevResultTexts = prevResults.map((prevResult) => JSON.stringify(prevResult));

test("no prevResult makes DEL fail", () => {
  fc.assert(
    fc.property(fc.oneof(prevResultTexts, unreadable), calledAs, ifNames, (prevResult, calledAs, ifName) => {
      const wrapper = JSON.stringify({ ifName });
      const stdin = `{"cniVersion":"1.0.0","prevResult":${prevResult},"name":"zone","wrapper":${wrapper}}`;
      expect(call("DEL", stdin, calledAs)).toMatchObject({ exitCode: 0 });
    }),
    { numRuns: 1000 },
  );
});

/** Answers of ip(8) to three commands, as lines, that are nearly right. */
const routes = fc.oneof(
  nearly.any,
  fc.array(fc.record({ dst: nearly.any, dev: nearly.any, table: nearly.any, src: nearly.any }, { requiredKeys: [] })),
  fc.array(fc.record({ ifname: nearly.any, ifindex: nearly.any, addr_info: nearly.any }, { requiredKeys: [] })),
);
const answersOfIp = fc.oneof(
  fc.string(),
  fc.array(routes, { maxLength: 4 }).map((all) => all.map((one) => `${JSON.stringify(one)}\n`).join("")),
);

test("whatever ip(8) prints, each call of a plugin that moves routes gets one answer", () => {
  const moved = chainedOf("sbr", { done: { addresses: [], routing: { routes: [], rules: [] } } });
  const verb = fc.constantFrom("ADD", "CHECK", "DEL");
  fc.assert(
    fc.property(verb, answersOfIp, answersOfIp, (CNI_COMMAND, ipv4, ipv6) => {
      const stdin = { ...zone, prevResult: bothResult };
      const ip = (args: readonly string[]) => (args.includes("-4") ? ipv4 : ipv6);
      const files = CNI_COMMAND === "ADD" ? {} : journalFiles(moved);
      const answer = exits(0, CNI_COMMAND === "ADD" ? bothResult : "");
      const sbr = { calledAs: "sbr-wrapper", env: { CNI_COMMAND }, stdin };
      const outcome = callWrapper(sbr, { answers: [answer], files, ip });
      expect(outcome.exitCode === 0 || [105, 106].includes(Number(printed(outcome).code))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("every answer to ADD is passed on, spliced, or undone by DEL", () => {
  const answers = fc.oneof(fc.string(), fc.uint8Array(), prevResults);
  fc.assert(
    fc.property(answers, (answer) => {
      const stdin = { ...zone, wrapper: { ifName: "eth9" }, prevResult: bothResult };
      const outcome = callWrapper({ stdin }, { answers: [exits(0, answer), exits(0)] });
      const isDone = outcome.exitCode === 0 && outcome.runs.length === 1;
      const isUndone = outcome.exitCode === 1 && outcome.runs.length === 2 && printed(outcome).code === 102;
      expect(isDone || isUndone).toBe(true);
      if (isDone) expect(printed(outcome).interfaces).toEqual(expect.arrayContaining([...bothResult.interfaces]));
    }),
    { numRuns: 1000 },
  );
});
