import { expect, test } from "vitest";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { networkOf } from "../../../../cli/live/check.ts";
import { networksIn } from "../../../../cli/live/networks.ts";
import { cachedAttachment } from "../../support/cached-results.ts";

const listed = (name: string, type: string) => ({ cniVersion: "1.0.0", name, plugins: [{ type }] });

function typeFor(network: string, ...files: object[]): unknown {
  const networks = networksIn(files.map((file, index) => parseListFile(`${index}.conflist`, JSON.stringify(file))));
  const attachment = cachedAttachment({ network, list: listed(network, "cached") });
  return networkOf(attachment, { networks })?.list.plugins[0]?.type;
}

test.each([
  ["a list in a file counts", "zone", [listed("zone", "current")], "current"],
  ["the first of two files counts", "zone", [listed("zone", "first"), listed("zone", "second")], "first"],
  ["a network without a file has no list", "zone", [], undefined],
  ["Nomad's own network has the list of ADD", "nomad", [], "cached"],
  ["a file with Nomad's name counts", "nomad", [listed("nomad", "current")], "current"],
])("%s", (_, network, files, type) => {
  expect(typeFor(network, ...files)).toBe(type);
});
