import fc from "fast-check";
import { damaged, jsonValues } from "../unit/properties/values.ts";

/** Marks that a script leaves in the page if it runs. */
const marks = ["globalThis.hostile=1", "top.hostile=1"];

const markup = [
  "<script>globalThis.hostile=1</script>",
  "</script><script>globalThis.hostile=1</script>",
  "<img src=x onerror=globalThis.hostile=1>",
  "<svg onload=globalThis.hostile=1>",
  '"><iframe src="https://hostile.example/"></iframe>',
  "<style>@import 'https://hostile.example/x.css'</style>",
  "<link rel=stylesheet href=https://hostile.example/x.css>",
  "javascript:globalThis.hostile=1",
  "</pre></td></table><base href=https://hostile.example/>",
  "{{constructor.constructor('globalThis.hostile=1')()}}",
  `<math><mtext><style><img src=x onerror=${marks[1]}>`,
  "\u202e\u2066txt.exe",
  "\u001b[31m\u0000\u0007",
  "\ud800",
  "e\u0301\u200d\ufeff",
  "%3Cimg src=x onerror=globalThis.hostile=1%3E",
];

const types = ["macvlan", "bridge", "ptp", "portmap", "tuning", "bridge-wrapper", "x-wrapper", "cni-wrappers"];

/** A name with markup in it, or one that the page knows. */
const names = (known: readonly string[]) => fc.oneof(fc.constantFrom(...markup), fc.constantFrom(...known));

const plugin = fc.record(
  {
    type: names(types),
    wrapper: fc.record({ ifName: names(["eth1"]), delegate: names(["bridge"]), role: names(["creator"]) }),
    master: names(["ens18"]),
    bridge: names(["disc0"]),
    ipam: fc.record({ type: names(["host-local", "static"]), subnet: names(["10.1.0.0/24"]) }),
    dns: fc.dictionary(fc.constantFrom(...markup), fc.constantFrom(...markup), { maxKeys: 2 }),
  },
  { requiredKeys: ["type"] },
);

const list = fc.record(
  {
    cniVersion: names(["0.4.0", "1.0.0", "1.1.0"]),
    name: names(["zone"]),
    plugins: fc.array(plugin, { maxLength: 6 }),
    disableCheck: fc.boolean(),
  },
  { requiredKeys: ["plugins"] },
);

const text = (value: unknown) => JSON.stringify(value, undefined, 1);

/** A text with some of its characters replaced by others. */
const broken = fc
  .tuple(list.map(text), fc.nat(), fc.oneof(fc.constantFrom(...markup), fc.string({ maxLength: 4 })))
  .map(([before, where, other]) => {
    const at = where % before.length;
    return before.slice(0, at) + other + before.slice(at + 1);
  });

const encoded = list
  .map(text)
  .chain((before) =>
    fc.constantFrom<Uint8Array>(
      Buffer.from(`\ufeff${before}`),
      Buffer.from(before, "utf16le"),
      Buffer.from(`${before}é`, "latin1"),
      Buffer.from(`\ufeff${before}`, "utf16le").swap16(),
      Buffer.from(before.replaceAll("\n", "\r\n")),
      Buffer.from(before.replaceAll("\n", "\u2028")),
    ),
  );

/** Texts that are long or deep: up to 1 MB. */
const large: readonly string[] = [
  "[".repeat(1_000_000),
  '{"plugins":['.repeat(50_000),
  `{"name":"${"x".repeat(1_000_000)}"}`,
  `{"name":"zone","plugins":[${Array(20_000).fill('{"type":"bridge"}').join()}]}`,
  `{"cniVersion":"1.0.0","name":"zone","plugins":[{"type":"bridge","x":${"[".repeat(5000)}${"]".repeat(5000)}}]}`,
  `{"cniVersion":"1.0.0","name":"zone","plugins":[{"type":"bridge","x":${"[".repeat(1000)}${"]".repeat(1000)}}]}`,
  `{"cniVersion":"1.0.0","name":"zone","plugins":[${Array(16).fill('{"type":"bridge","ipam":{"type":"host-local","subnet":"10.1.0.0/16"}}').join()}]}`,
  `{"cniVersion":"1.1.0","name":"zone","plugins":[${Array(16).fill('{"type":"bridge-wrapper","wrapper":{"ifName":"eth1"}}').join()}]}`,
  `{"name":"zone","plugins":[{"type":"bridge",${Array.from({ length: 3000 }, (_, i) => `"k${i}":1`).join()}}]}`,
  `${"\n".repeat(30_000)}{`,
  `{"a":"${"\\u0000".repeat(10_000)}"}`,
  "<script>globalThis.hostile=1</script>".repeat(25_000),
];

const seed = 37;

/** 200 lists that somebody wrote to harm the reader of a link, in UTF-8 or not. */
export function hostileLists(): readonly (string | Uint8Array)[] {
  const some = <T>(values: fc.Arbitrary<T>, numRuns: number) => fc.sample(values, { seed, numRuns });
  return [
    ...large,
    ...some(list.map(text), 60),
    ...some(damaged(list).map(text), 40),
    ...some(jsonValues.map(text), 18),
    ...some(broken, 40),
    ...some(encoded, 30),
  ];
}
