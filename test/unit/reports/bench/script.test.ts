import { expect, test } from "vitest";
import { scriptWith } from "../../../reports/bench/stage.ts";

test("another jq replaces the script's jq everywhere, and nothing else", () => {
  const script = "# bash and jq\nrequest=$(jq --compact-output '.a') || exit\n  jq --slurp '.b'\n";
  expect(scriptWith({ argv: ["/x/ld.so", "--library-path", "/x", "/x/jq"] }, script)).toBe(
    "# bash and jq\nrequest=$(/x/ld.so --library-path /x /x/jq --compact-output '.a') || exit\n" +
      "  /x/ld.so --library-path /x /x/jq --slurp '.b'\n",
  );
});
