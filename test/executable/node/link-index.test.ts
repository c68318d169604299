import { afterAll, beforeAll, expect, test } from "vitest";
import { linkIndex } from "../../../shared/host/node/link-index.ts";
import { type Holder, hold } from "../../tools/holder.ts";

let holder: Holder;
let netns: string;

// One end of the pair is shown as `near0@far0`, and has a second name.
const script = `
  ip link add near0 index 7 type veth peer name far0 &&
  ip link property add dev near0 altname alias0 &&
  echo made && cat`;

beforeAll(async () => {
  holder = await hold("unshare", ["--net", "sh", "-c", script]);
  netns = `/proc/${holder.pid}/ns/net`;
});
afterAll(() => holder[Symbol.asyncDispose]());

test.each([
  ["near0", 7],
  ["lo", 1],
  ["near", 0],
  ["near0@far0", 0],
  ["near0:1", 0],
  ["alias0", 0],
  ["", 0],
])("the index of %j is %i", (name, index) => {
  expect(linkIndex(netns, name)).toBe(index);
});

test.each(["/nowhere", "/etc/passwd", "/proc/self/ns/mnt", "/", ""])(
  "nobody can look into what is no network namespace: %j",
  (path) => {
    expect(linkIndex(path, "lo")).toBeUndefined();
  },
);
