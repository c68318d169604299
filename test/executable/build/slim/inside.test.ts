import { expect, test } from "vitest";
import { withoutText } from "../../../../build/inside/component.ts";
import { crates } from "../../../../build/inside/crates.ts";
import { hostTarget } from "../../../../build/slim/toolchain.ts";

const linked = ["bitflags", "libc", "linux-raw-sys", "quickjs-ng", "rquickjs-sys", "rustix"];

test("the crates that cargo links and the engine are inside, each with a licence text; cargo's tools are not", () => {
  const components = crates(hostTarget());
  expect(components.map(({ name }) => name).sort()).toEqual(linked);
  expect(components.find(({ name }) => name === "quickjs-ng")?.version).toBe("0.16.2");
  expect(withoutText(components)).toEqual([]);
});
