import { describe, expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import { addedBy } from "../../../shared/plan/added-by.ts";
import { instanceOf } from "../../../shared/plan/listed.ts";
import { targetOf } from "../../../shared/call/target.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { type KeptFile, metaRecordFile } from "../../../shared/record/record.ts";
import { keptRecords, recordOf } from "../support/records.ts";
import { blue, requestOf } from "../support/requests.ts";

/** The names of the added interfaces. Two entries of the plugin in the list have added one each. */
function added(configuration: JsonObject, calledAs = "own-wrapper") {
  const request = requestOf("CHECK", configuration);
  const files = [keptOf({ mtu: 1400 }, "tap0"), keptOf({ mtu: 1500 }, "tap1")];
  const target = targetOf(request, calledAs, profiles);
  return addedBy(request, target, keptRecords([], { files })).map(({ name }) => name);
}

function keptOf(configuration: JsonObject, name: string): KeptFile {
  const record = recordOf({ delegate: "own", added: [{ name, sandbox: blue }] });
  const request = requestOf("ADD", configuration);
  const file = metaRecordFile(record, instanceOf(request, targetOf(request, "own-wrapper", profiles)));
  return { file, owner: record, record, isLive: true };
}

describe("the interfaces that a meta plugin added", () => {
  test("are those of its own entry in the list", () => {
    expect(added({ mtu: 1400 })).toEqual(["tap0"]);
    expect(added({ mtu: 1500 })).toEqual(["tap1"]);
  });

  test("are those of all entries of the plugin if the list was edited", () => {
    expect(added({ mtu: 9000 })).toEqual(["tap0", "tap1"]);
  });

  test("are none for a creator, for another plugin, and for a plugin with a profile", () => {
    expect(added({ mtu: 1400, wrapper: { role: "creator" } })).toEqual([]);
    expect(added({ mtu: 1400 }, "other-wrapper")).toEqual([]);
    expect(added({ mtu: 1400 }, "portmap-wrapper")).toEqual([]);
  });
});
