import { expect, test } from "vitest";
import { type Entry, journalFile } from "../../../shared/journal/journal.ts";
import { linesText } from "../../../shared/journal/lines.ts";
import { callWrapper, exits, type Outcome } from "../support/fake-host.ts";
import { entryOf, journalFiles, zoneOfBlue } from "../support/journals.ts";
import { macvlanResult } from "../support/results.ts";

const journal = journalFile(zoneOfBlue);
const stdin = { cniVersion: "1.0.0", name: "zone" };

function commandsOf({ runs }: Outcome): unknown[] {
  return runs.map(({ env }) => env.CNI_COMMAND);
}

test("a power loss cannot take a creator's entry, whose leases stay on the disk", () => {
  const { flushed } = callWrapper({ stdin }, { answers: [exits(0, macvlanResult)] });
  expect(flushed.map((line) => JSON.parse(line).line)).toEqual(["began"]);
});

test("a chained plugin's entry need not be on the disk: its rules are gone after a boot", () => {
  const call = { calledAs: "/opt/cni/bin/tuning-wrapper", stdin: { ...stdin, prevResult: macvlanResult } };
  const { flushed, files } = callWrapper(call, { answers: [exits(0, macvlanResult)] });
  expect(files[journal]).toContain('"began"');
  expect(flushed).toEqual([]);
});

test("an entry that another call gave up meanwhile, in the same file, is undone", () => {
  const outcome = callWrapper(
    { stdin },
    {
      answers: [exits(0, macvlanResult), exits(0)],
      links: [0, 7],
      meanwhile(files) {
        const file = files.get(journal) as { text: string } | undefined;
        if (!file || file.text.includes("given up")) return;
        const { id } = JSON.parse(file.text.split("\n")[0] ?? "");
        files.set(journal, { ...file, text: file.text + linesText([{ line: "given up", ids: [id] }]) });
      },
    },
  );
  expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 108 });
  expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
});

test("asks for no address that a sibling has, although rules of a failed DEL may point to it", () => {
  const left = entryOf({ isGivenUp: true });
  const sibling = entryOf({ network: "other", runtimeIfName: "net1", delegateNetwork: "zone" });
  const addOf = (...entries: Entry[]) => {
    const machine = { files: journalFiles(...entries), answers: [exits(1), exits(1), exits(0, macvlanResult)] };
    const { runs } = callWrapper({ stdin: { ...stdin, ipam: { type: "host-local", subnet: "10.1.0.0/24" } } }, machine);
    return runs.findLast(({ env }) => env.CNI_COMMAND === "ADD")?.stdin;
  };
  expect(addOf(left)).toHaveProperty("args.cni.ips", ["10.1.0.2/24"]);
  expect(addOf(left, sibling)).not.toHaveProperty("args");
});
