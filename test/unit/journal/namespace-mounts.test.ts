import { expect, test } from "vitest";
import { namespaceMounts } from "../../../shared/journal/host-files.ts";

test("mounts of namespaces in mountinfo", () => {
  const text = `25 1 0:23 / /run rw,nosuid shared:5 - tmpfs tmpfs rw
512 25 0:4 net:[4026532290] /run/netns/c\\0401 rw shared:215 - nsfs nsfs rw
513 25 0:4 mnt:[4026532291] /run/snapd/ns/x rw - nsfs nsfs rw
514 25 0:5 net:[4026532292] /run/x rw - tmpfs nsfs rw
`;
  expect(namespaceMounts(text)).toEqual([["net:[4026532290]", "/run/netns/c 1"]]);
});
