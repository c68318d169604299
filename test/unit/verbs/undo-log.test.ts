import { expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, exits, type FakeAnswer, type Machine } from "../support/fake-host.ts";
import { chainedOf, entryOf, journalFiles, tryOf } from "../support/journals.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

/** What a call warns of in the log. */
function warnings(command: string, plugin: string, stdin: JsonObject, machine: Machine): unknown[] {
  const call = {
    calledAs: `/opt/cni/bin/${plugin}-wrapper`,
    stdin: { cniVersion: "1.0.0", name: "zone", ...stdin },
    env: { CNI_COMMAND: command, CNI_WRAPPERS_LOG: "/log" },
  };
  const { log } = callWrapper(call, { links: [7], ...machine });
  return log.map(({ line }) => JSON.parse(line)).flatMap(({ level, message }) => (level === "warn" ? [message] : []));
}

const prevResult = bothResult;
const sibling = chainedOf("portmap", { id: "sibling", network: "other", runtimeIfName: "net1" });
const addresses = ["10.1.0.2/24", "10.1.0.3/24"];
const ips = addresses.map((address) => ({ address }));
const ofRed = entryOf({ containerId: "red", done: { addresses } });
test.each<[string, string, string, JsonObject, Machine]>([
  [
    "DEL of portmap for eth0 is skipped: its rules are of an earlier boot",
    ...(["DEL", "portmap", { prevResult }] as const),
    { files: journalFiles(chainedOf("portmap", { bootId: "earlier" })) },
  ],
  [
    "another container has 10.1.0.2/24, 10.1.0.3/24 by now: DEL does not remove its rules",
    ...(["DEL", "firewall", { prevResult }] as const),
    { files: journalFiles(chainedOf("firewall", { configuration: { type: "firewall", prevResult: { ips } } }), ofRed) },
  ],
  [
    "an earlier try was not completed: undoing it before ADD",
    ...(["ADD", "bridge", {}] as const),
    { files: journalFiles(tryOf()), answers: [exits(0), exits(0, bridgeResult)] },
  ],
  [
    "attached before this boot: undoing it before ADD",
    ...(["ADD", "bridge", {}] as const),
    { files: journalFiles(entryOf({ bootId: "earlier" })), answers: [exits(0), exits(0, bridgeResult)] },
  ],
])("%s", (message, command, plugin, stdin, machine) => {
  expect(warnings(command, plugin, stdin, machine)).toContain(message);
});

test("an ADD or DEL of a sibling that cannot run is named, and no failure of the call", () => {
  const files = journalFiles(chainedOf("portmap", { path: "/gone/portmap" }), sibling);
  const ended = (answers: readonly FakeAnswer[]) => {
    let runs = 0;
    const inspect: Machine["inspect"] = () => (runs++ < 1 ? "executable" : "missing");
    return warnings("DEL", "portmap", { prevResult }, { files, answers, inspect });
  };
  expect(ended([exits(0)]).filter((message) => String(message).startsWith("its ADD failed: "))).toHaveLength(2);
});
