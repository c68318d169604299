import * as z from "zod";

/** The keys of host-device itself (plugins/main/host-device/host-device.go, NetConf). One of them names the device. */
export const hostDeviceKeys = z
  .object({
    device: z.string().describe("Name of the device on the host, such as ens19."),
    hwaddr: z.string().describe("MAC address of the device."),
    kernelpath: z.string().describe("Path of the device in /sys, such as /sys/devices/pci0000:00/0000:00:1f.6."),
    pciBusID: z.string().describe("PCI address of the device, such as 0000:00:1f.6."),
    DPDKMode: z.boolean().describe("Leave the device to its DPDK driver. The plugin finds it out for a PCI address."),
    useInterfaceNetwork: z
      .boolean()
      .describe("Take the device's own addresses and routes along into the container (from version 1.10.0 on)."),
  })
  .partial();
