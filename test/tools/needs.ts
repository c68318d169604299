import { execa } from "execa";

/** Whether this kernel can do what some cases need. They are skipped by name where it cannot. */
export const kernelHas = {
  bridgeVlanFiltering: await canAdd("bridge", "vlan_filtering", "1"),
};

/** Tries to add a link of this type, in a network namespace that lasts as long as the try. */
async function canAdd(...type: string[]): Promise<boolean> {
  const { exitCode } = await execa("unshare", ["--net", "ip", "link", "add", "try0", "type", ...type], {
    reject: false,
  });
  return exitCode === 0;
}
