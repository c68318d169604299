/** README's plain list, as somebody types it. */
export const plainList = JSON.stringify({
  cniVersion: "1.0.0",
  name: "zone",
  plugins: [
    {
      type: "macvlan",
      master: "ens18",
      ipam: { type: "host-local", ranges: [[{ subnet: "172.16.5.0/24", gateway: "172.16.5.1" }]] },
    },
    {
      type: "bridge",
      bridge: "disc0",
      isGateway: true,
      ipam: { type: "host-local", ranges: [[{ subnet: "172.26.64.0/20" }]] },
    },
  ],
});

/** A list of 12 plugins, some of which are wrapped, with long names and several mistakes. */
export const longList = JSON.stringify(
  {
    cniVersion: "1.1.0",
    name: "a-network-with-a-name-that-is-as-long-as-names-of-networks-get-in-the-field",
    plugins: Array.from({ length: 12 }, (_, index) => ({
      type: ["bridge", "macvlan-wrapper", "ptp", "portmap"][index % 4],
      bridge: `bridge-${index}`,
      wraper: { ifName: `eth${index}` },
      ipam: { type: "host-local", ranges: [[{ subnet: `10.${index}.0.0/16`, gateway: "10.99.0.1" }]] },
    })),
  },
  undefined,
  2,
);
