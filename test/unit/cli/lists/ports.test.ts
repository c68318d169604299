import { expect, test } from "vitest";
import { firstPortOf } from "../../../../cli/lists/ports.ts";
import { parsedList } from "../explain/support.ts";

test.each<[ports: unknown[], first: number | undefined]>([
  [[], 1],
  [[{ only: [8080] }], 8080],
  [[{ only: [10000, 9000] }], 9000],
  [[{ only: ["8000-8010"] }, { only: [8005] }], 8005],
  [[{ only: [] }], undefined],
  [[{ except: ["1-79"] }], 80],
  [[{ except: ["2-79"] }], 1],
  [[{ except: ["1-65534"] }], 65535],
  [[{ except: ["1-65535"] }], undefined],
  [[{ only: ["150-300"] }, { except: ["100-200"] }], 201],
  [[{ only: [8080] }, { except: ["8000-8999"] }], undefined],
  [[{ only: ["web"] }], undefined],
  [[{ except: ["web"] }], undefined],
])("with wrapper.ports %j, all publish %s", (ports, first) => {
  const plugins = ports.map((value) => ({ type: "portmap-wrapper", wrapper: { ports: value } }));
  const others = [{ type: "portmap", wrapper: { ports: { only: [7] } } }, { type: "portmap-wrapper" }];
  expect(firstPortOf(parsedList({ name: "zone", plugins: [...plugins, ...others] }).plugins)).toBe(first);
});
