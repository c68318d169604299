import fc from "fast-check";
import type { Json } from "../case.ts";
import { keys, oneOf, rarely } from "./values.ts";

/** MACs that are compared as they are. */
export const generatedMacs = ["76", "77", "78"].map((end) => `02:00:00:00:00:${end}`);

/** A MAC, or something else. */
export const mac = rarely<unknown>(oneOf(...generatedMacs), oneOf<unknown>("02:00", "nonsense", "", 5), 4);

const route = fc.record(
  {
    dst: rarely<unknown>(
      oneOf("0.0.0.0/0", "10.99.0.0/16", "fd00:99::/64", "::/0"),
      oneOf("10.99.0.0", "nonsense"),
      12,
    ),
    gw: oneOf("172.26.64.1", "172.26.64.7", "fd00:26::1", "10.0.0.1"),
    mtu: oneOf(1300),
    priority: oneOf(50),
    scope: oneOf(0, 253),
  },
  { requiredKeys: ["dst"] },
);

/** Routes of an ipam configuration. */
export const routes = fc.array(route, { maxLength: 3 });

const ranges = rarely<unknown>(
  oneOf(
    [[{ subnet: "172.26.64.0/20" }]],
    [[{ subnet: "172.26.64.0/20" }], [{ subnet: "fd00:26::/64" }]],
    [[{ subnet: "172.26.64.0/20", rangeStart: "172.26.64.50", rangeEnd: "172.26.64.60", gateway: "172.26.64.3" }]],
    [[{ subnet: "172.26.64.0/30" }]],
    [[{ subnet: "172.26.64.0/28" }, { subnet: "172.26.65.0/28" }]],
  ),
  oneOf<unknown>([], [[]], [[{ subnet: "172.26.64.0/32" }]], [[{ subnet: "nonsense" }]], "a"),
  8,
);

const hostLocal: fc.Arbitrary<Json> = fc
  .tuple(ranges, keys({ routes, dataDir: oneOf("/var/lib/cni/networks", "/var/lib/cni/other") }))
  .map(([own, more]) => ({ type: "host-local", ranges: own, ...more }));

const address = fc.record(
  {
    address: rarely<unknown>(
      oneOf("172.26.64.2/20", "172.26.64.9/20", "fd00:26::2/64", "172.27.0.2/24"),
      oneOf<unknown>("172.26.64.2", "nonsense", 5),
      8,
    ),
    gateway: oneOf("172.26.64.1", "fd00:26::1", "nonsense"),
  },
  { requiredKeys: ["address"] },
);

const fixed: fc.Arbitrary<Json> = fc
  .tuple(fc.array(address, { maxLength: 3 }), keys({ routes, dns: oneOf({ nameservers: ["172.26.64.53"] }) }))
  .map(([addresses, more]) => ({ type: "static", addresses, ...more }));

/** Configurations of ipam, above all of host-local. */
export const ipam: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostLocal },
  { weight: 3, arbitrary: fixed },
  { weight: 1, arbitrary: oneOf<unknown>({}, { type: "missing-ipam" }, { type: 5 }, null, "a") },
);
