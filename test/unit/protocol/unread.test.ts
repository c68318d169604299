import { expect, test } from "vitest";
import { piecesOf, Unread } from "../../../shared/protocol/unread.ts";

test("a configuration is written in pieces, without the keys that have no value", () => {
  const args = new Unread([0, 10, 20], () => '{"a":1}');
  expect(piecesOf({ cniVersion: "1.0.0", args, prevResult: undefined, mtu: 1400 })).toStrictEqual({
    texts: ['{"cniVersion":"1.0.0","args":', ',"mtu":1400}'],
    values: [args],
  });
  expect(piecesOf({ prevResult: undefined, args })).toStrictEqual({ texts: ['{"args":', "}"], values: [args] });
});
