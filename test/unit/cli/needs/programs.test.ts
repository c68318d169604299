import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { programProblems } from "../../../../cli/needs/host-errors.ts";
import { pluginOf } from "./support.ts";

let nft: string;
beforeAll(() => {
  nft = mkdtempSync(join(tmpdir(), "programs-"));
  writeFileSync(join(nft, "nft"), "#!/bin/sh\n");
  chmodSync(join(nft, "nft"), 0o755);
});
afterAll(() => rmSync(nft, { recursive: true }));

test.each([
  ["masquerading", { type: "bridge", ipMasq: true }, "iptables or nft", ""],
  ["masquerading with iptables", { type: "ptp", ipMasq: true, ipMasqBackend: "iptables" }, "iptables", "iptables"],
  ["masquerading with nftables", { type: "bridge", ipMasq: true, ipMasqBackend: "nftables" }, "nft", ""],
  ["masquerading with a backend of null", { type: "ptp", ipMasq: true, ipMasqBackend: null }, "iptables or nft", ""],
  ["no masquerading", { type: "bridge", ipMasq: false }, "", ""],
  ["a plugin that does not masquerade", { type: "macvlan", ipMasq: true }, "", ""],
  ["published ports", { type: "portmap-wrapper" }, "iptables or nft", ""],
  ["firewall", { type: "firewall" }, "iptables or firewalld", "iptables or firewalld"],
  ["firewall with firewalld", { type: "firewall", backend: "firewalld" }, "firewalld", "firewalld"],
  ["a program decides", { type: "portmap-wrapper", wrapper: { jq: "." } }, "", ""],
])("%s", (_, configuration, withNothing, withNft) => {
  const wanted = (path: string) =>
    programProblems(pluginOf(configuration), path).map((line) => / needs (.*?),/.exec(line)?.[1]);
  expect(wanted("/nowhere")).toEqual(withNothing === "" ? [] : [withNothing]);
  expect(wanted(nft)).toEqual(withNft === "" ? [] : [withNft]);
});
