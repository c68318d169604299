import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { programProblems } from "../../../../cli/needs/host-errors.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeProgram } from "../../support/programs.ts";
import { pluginOf } from "./support.ts";

const nft = scratch();
beforeEach(() => writeProgram(join(nft, "nft"), ""));

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
