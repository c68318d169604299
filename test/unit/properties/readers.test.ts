import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import { attachmentOf, interfaceNames, isAttachment, parseCachedResult } from "../../../cli/live/cached-results.ts";
import { addressesIn } from "../../../shared/delegate/taken-addresses.ts";
import { namespaceMounts, parseLease } from "../../../shared/journal/host-files.ts";
import { linesText, parseJournal } from "../../../shared/journal/lines.ts";
import fc from "../support/fast-check.ts";
import { asRead, entryOf, linesOf, zoneOfBlue } from "../support/journals.ts";
import { resultOf, scenes } from "./scene.ts";
import { damaged, jsonObjects, jsonValues } from "./values.ts";

// Names as the specification allows them. Some are names that every object of JavaScript has.
const name = fc.constantFrom("zone", "zone-eth1", "c1", "a.b_c", "constructor", "toString", "0");
const ifName = fc.constantFrom("eth0", "eth1", "a.b@c", "toString");
const address = fc.constantFrom("10.0.0.2/24", "fd00::2/64");
const index = fc.option(fc.nat({ max: 9 }), { nil: undefined });

const entries = fc
  .record({
    ifName,
    role: fc.constantFrom("creator" as const, "meta" as const),
    done: fc.option(fc.record({ made: index, addresses: fc.array(address) }), { nil: undefined }),
    isGivenUp: fc.boolean(),
  })
  .map((changes) => entryOf(JSON.parse(JSON.stringify(changes))));
const journals = fc
  .array(entries, { maxLength: 5 })
  .map((all) => all.map((one, order) => ({ ...one, id: String(order) })));

test("a journal is read as it was written, wherever it is cut off", () => {
  fc.assert(
    fc.property(journals, fc.nat({ max: 4000 }), (written, end) => {
      const text = linesText(linesOf(written));
      deepStrictEqual(parseJournal(zoneOfBlue, text).entries, written.map(asRead));
      const { entries: read, problem } = parseJournal(zoneOfBlue, text.slice(0, end));
      expect(problem).toBeUndefined();
      const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);
      deepStrictEqual(ids(read), ids(written.slice(0, read.length)));
    }),
  );
});

function isText(value: unknown): boolean {
  return typeof value === "string";
}

const lists = jsonObjects(["name", "plugins", "cniVersion"]);
const cached = fc.record({
  ...{ network: name, containerId: name, ifName, netns: name, list: lists },
  args: fc.array(fc.tuple(name, name), { maxLength: 2 }),
  capabilityArgs: jsonObjects(["portMappings", "bandwidth"]),
  result: scenes().map((scene) => resultOf(scene)),
});

/** The cache's entry as libcni writes it (libcni/api.go, cachedInfo). */
function cacheOf({ network, list, args, ...same }: typeof cached extends fc.Arbitrary<infer T> ? T : never) {
  const config = Buffer.from(JSON.stringify(list)).toString("base64");
  return { kind: "cniCacheV1", networkName: network, config, cniArgs: args, ...same };
}

test("an attachment is read from libcni's cache as the runtime gave it", () => {
  fc.assert(
    fc.property(cached, (attachment) => {
      const text = JSON.stringify(cacheOf(attachment));
      const { ifName: runtimeIfName, ...same } = attachment;
      expect(parseCachedResult("/f", text)).toEqual({ file: "/f", text, runtimeIfName, ...same });
    }),
  );
});

test("no file in libcni's cache ends a command, and a damaged result has interfaces and addresses that are texts", () => {
  const texts = fc.oneof(
    damaged(cached.map(cacheOf)).map((entry) => JSON.stringify(entry)),
    fc.tuple(cached, jsonValues).map(([one, result]) => JSON.stringify({ ...cacheOf(one), netns: "", result })),
    fc.string(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const read = parseCachedResult("/f", text);
      if (!isAttachment(read)) {
        expect(read.reason).not.toBe("");
        return;
      }
      const { netns, args } = attachmentOf(read, "/opt/cni/bin");
      expect([netns, args, ...interfaceNames(read), ...addressesIn(read.result)].every(isText)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

const inode = fc.constantFrom("4026531840", "1", "99999999999999999999");
const mounts = fc.array(fc.tuple(inode, fc.stringMatching(/^\/[ -~\t\né]*$/)), { maxLength: 5 });
// The kernel writes these in octal (fs/proc_namespace.c, mangle).
const escaped = (path: string) =>
  path.replace(/[ \t\n\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
const otherLine = fc.oneof(
  fc.string({ maxLength: 80 }).filter((line) => !line.includes("nsfs")),
  inode.map((id) => `22 29 0:20 / /sys rw shared:7 - sysfs net:[${id}] rw`),
  inode.map((id) => `22 29 8:1 /net:[${id}] /run/netns/blue rw - ext4 /dev/sda1 rw`),
  inode.map((id) => `36 35 0:4 net:[${id}] /run/netns/blue rw - tmpfs nsfs rw`),
  inode.map((id) => `36 35 0:4 mnt:[${id}] /run/ipc/blue rw - nsfs nsfs rw`),
);

test("the namespaces among mounts are found at their paths, whatever other lines there are", () => {
  fc.assert(
    fc.property(mounts, fc.array(otherLine, { maxLength: 5 }), fc.nat({ max: 5 }), (found, others, position) => {
      const own = found.map(([id, path], index) => {
        const groups = index % 2 === 0 ? "" : "shared:7 master:2 ";
        return `36 35 0:4 net:[${id}] ${escaped(path)} rw,nosuid ${groups}- nsfs nsfs rw`;
      });
      const text = [...others.slice(0, position), ...own, ...others.slice(position), ""].join("\n");
      const expected = found.map(([id, path]) => [`net:[${id}]`, path]);
      deepStrictEqual(namespaceMounts(text), expected);
    }),
  );
});

test("a lease names its container and interface with either end of a line, and an old one names no interface", () => {
  const end = fc.constantFrom("", "\n", "\r\n");
  fc.assert(
    fc.property(name, ifName, fc.constantFrom("\n", "\r\n"), end, (containerId, ifName, between, end) => {
      const lease = { address: "10.0.0.2", containerId, ifName };
      deepStrictEqual(parseLease("10.0.0.2", `${containerId}${between}${ifName}${end}`), lease);
      expect(parseLease("10.0.0.2", containerId)).toEqual({ ...lease, ifName: "" });
      for (const file of ["lock", "last_reserved_ip.0"]) expect(parseLease(file, "10.0.0.2")).toBeUndefined();
    }),
  );
});
