import { expect, test } from "vitest";
import { type Container, Lab } from "../support/lab.ts";
import { installPlugin } from "./recovery-support.ts";
import { expectNothingLeft, expectPassed, expectSuccess, ptp, wrapped, zone } from "./support.ts";

// A wrapper asks the kernel which interface a plugin has made, and DEL removes only that one. Each journal must have the
// index that the container's own ip(8) shows.

const plugins = "1.9.1";
const forging = {
  ...wrapped({ ...ptp, type: "forging" }),
  type: "ptp-wrapper",
  wrapper: { delegate: "forging", role: "creator" },
};

test("a process of the container pretends to be the kernel: the journal has the real index, and DEL removes it", async () => {
  await using lab = await Lab.start({ plugins });
  const forge = 'nsenter --net="$CNI_NETNS" /run/lab/drivers/forge eth0 4242 >>/run/lab/forged';
  await installPlugin(lab, "forging", `[ "$CNI_COMMAND" != ADD ] || ${forge} || exit 1; exec /opt/cni/bin/ptp`);
  const list = zone("1.0.0", forging);
  const container = await lab.addContainer("c1");
  expectPassed(await lab.goCni.add(list, container));
  // Without a socket to deceive, this would show nothing.
  if (process.env.CNI_WRAPPERS_FLAVOR === "slim") expect(await lab.readFile("/run/lab/forged")).toBe("1\n");
  await expectRealIndex(lab, container);
  expectPassed(await lab.goCni.del(list, container));
  await expectNothingLeft(lab);
});

test("an answer that could not be received is not the next question's", async () => {
  await using lab = await Lab.start({ plugins });
  const list = zone("1.0.0", wrapped(ptp));
  const container = await lab.addContainer("c1");
  const strace = "strace -qq -o /run/lab/strace -e trace=recvfrom -e inject=recvfrom:error=EIO:when=1";
  await lab.run("mkdir", ["/opt/cni/first"]);
  await lab.run("cp", ["/opt/cni/bin/cni-wrappers", "/opt/cni/first/ptp-wrapper"]);
  await installPlugin(lab, "ptp-wrapper", `exec ${strace} /opt/cni/first/ptp-wrapper`);
  expectSuccess(await lab.cnitool.add(list, container));
  await expectRealIndex(lab, container);
});

async function expectRealIndex(lab: Lab, container: Container): Promise<void> {
  const [journal = ""] = await lab.kernel.journals();
  const lines = (await lab.readFile(`/var/lib/cni/wrappers/${journal}`)).trim().split("\n");
  const { ifindex } = await lab.kernel.link(container, "eth0");
  expect(lines.map((line) => JSON.parse(line)).findLast(({ line }) => line === "done")).toMatchObject({
    made: ifindex,
  });
}
