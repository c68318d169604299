import { expect, test } from "vitest";
import { Lab } from "../tools/lab.ts";
import { attached, expectFailure, expectNothingLeft, expectSuccess, twoInterfaces } from "./support.ts";

const plugins = "1.9.1";

test("a plugin that was removed: DEL fails under go-cni, and frees everything once the plugin is back", async () => {
  await using lab = await Lab.start({ plugins });
  const list = twoInterfaces("1.0.0");
  const container = await attached(lab, lab.goCni, list);
  const leases = await lab.kernel.leases();
  await lab.run("sh", ["-c", "umount /opt/cni/bin/bridge && rm /opt/cni/bin/bridge"]);
  // go-cni's Remove reports success for an error that says "not found".
  expectFailure(
    await lab.goCni.del(list, container),
    /^plugin type="bridge-wrapper" failed \(delete\): delegate bridge is missing; Looked for \/opt\/cni\/bin\/bridge \(missing\)/,
  );
  expect(await lab.kernel.leases()).toEqual(leases);
  await lab.run("cp", ["/run/lab/plugins/bridge", "/opt/cni/bin/bridge"]);
  expectSuccess(await lab.goCni.del(list, container));
  await expectNothingLeft(lab, ["disc0"]);
});
