import { expect, test } from "vitest";
import { type Attachment, findAttachment } from "../../../shared/attachment/attachments.ts";
import { arranged, narrowPrevResult } from "../../../shared/attachment/narrow.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";

test.each(["eth0", "eth1"])("a gateway in both subnets belongs to both: %s", (ifName) => {
  const result = frozen({
    interfaces: ["eth0", "eth1"].map((name) => ({ name, sandbox: blue })),
    ips: ["10.0.0.2/16", "10.0.1.2/24"].map((address, index) => ({ address, interface: index })),
    routes: [{ dst: "0.0.0.0/0", gw: "10.0.1.1" }],
  });
  const selector = { ifName, netns: blue, runtimeIfName: "eth0" };
  const attachment = findAttachment(result, ifName, blue) as Attachment;
  expect(narrowPrevResult(result, attachment, selector).routes).toEqual(result.routes);
});

test("the order of a result with some of its interfaces: an index without an interface is ignored", () => {
  const result = frozen({ interfaces: [{ name: "a" }, { name: "b" }, { name: "c" }] });
  expect(arranged(result, [2, 7]).interfaces).toStrictEqual([{ name: "c" }]);
  expect(arranged({ interfaces: null }, [0])).toStrictEqual({ interfaces: [] });
});
