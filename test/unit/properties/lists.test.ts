import { expect, test } from "vitest";
import { fixFiles } from "../../../cli/lint/fix.ts";
import { lintFiles } from "../../../cli/lint/lint.ts";
import { listOf } from "../../../cli/lists/list.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";
import fc from "../support/fast-check.ts";
import { damaged, jsonObjects, jsonValues } from "./values.ts";

const ipam = fc.record(
  {
    type: fc.constantFrom("host-local", "static", "dhcp"),
    subnet: fc.constantFrom("10.1.0.0/24", "10.1.0.0/16", "fd00::/64", "10.1.0.1/33", "x"),
    ranges: fc.constant([[{ subnet: "10.1.0.0/24", rangeStart: "10.1.0.9", gateway: "10.2.0.1" }]]),
    addresses: fc.constant([{ address: "10.1.0.2/24" }]),
    routes: fc.constant([{ dst: "0.0.0.0/0" }]),
  },
  { requiredKeys: ["type"] },
);

const wrapper = fc.record(
  {
    ifName: fc.constantFrom("eth0", "eth1", "lo", "backup", "a/b", "sixteen-bytes-16"),
    delegate: fc.constantFrom("bridge", "macvlan", "x"),
    role: fc.constantFrom("creator", "meta"),
    network: fc.constantFrom("zone", "other"),
    ifname: fc.constant("eth1"),
    ports: fc.constant({ only: [80] }),
  },
  { requiredKeys: [] },
);

const plugin = fc.record(
  {
    type: fc.constantFrom(
      ...["bridge", "macvlan", "ptp", "portmap", "firewall", "tuning"],
      ...["bridge-wrapper", "macvlan-wrapper", "tuning-wrapper", "x-wrapper"],
    ),
    wrapper,
    ipam,
    bridge: fc.constantFrom("br0", "eth1"),
    master: fc.constantFrom("eth0", "eth9"),
    ipMasq: fc.boolean(),
    capabilities: fc.constant({ portMappings: true, ips: true }),
  },
  { requiredKeys: ["type"] },
);

const list = fc.record(
  {
    cniVersion: fc.constantFrom("0.2.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0", "9"),
    name: fc.constantFrom("zone", "other", "toString"),
    plugins: fc.array(plugin, { maxLength: 4 }),
    disableCheck: fc.boolean(),
  },
  { requiredKeys: ["name", "plugins"] },
);

const values = fc.oneof(list, damaged(list), jsonObjects(["plugins", "type", "wrapper", "ipam"]), jsonValues);
const texts = fc.oneof(
  fc.tuple(values, fc.constantFrom(undefined, 2, "\t")).map(([value, indent]) => JSON.stringify(value, null, indent)),
  fc.tuple(list, fc.nat({ max: 300 })).map(([value, end]) => JSON.stringify(value, null, 2).slice(0, end)),
);

test("lint judges every list, and marks places in its text", () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 2 }), (all) => {
      const files = all.map((text, number) => parseListFile(`${number}.conflist`, text));
      for (const { file, place, position, end, message } of lintFiles(files)) {
        expect(message).not.toBe("");
        expect([place.offset >= 0, place.offset + place.length <= file.text.length]).toEqual([true, true]);
        expect(position.line < end.line || (position.line === end.line && position.column <= end.column)).toBe(true);
      }
    }),
  );
});

test("fix leaves nothing to fix, and what it changes is still a list with the same plugins", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const before = parseListFile("zone.conflist", text);
      const [after = before] = fixFiles([before]).files;
      if (after.text === text) return;
      expect(after.errors).toEqual([]);
      expect(fixFiles([after]).files[0]?.text).toBe(after.text);
      const count = (file: typeof before) => listOf(file)?.plugins.length;
      expect(count(after)).toBe(count(before));
    }),
  );
});
