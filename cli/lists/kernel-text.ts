const macs = /^(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|(?:[\da-f]{4}\.){2}[\da-f]{4})$/i;

/** Returns a MAC address as the kernel's tools write it; undefined if Go reads the text as none of Ethernet (net.ParseMAC). */
export function kernelMac(text: string): string | undefined {
  const bytes = macs.test(text) ? text.toLowerCase().match(/[\da-f]{2}/g) : undefined;
  return bytes?.join(":");
}

/** Whether the kernel gives an interface this MAC address, in its own words: no group's, and not zero (is_valid_ether_addr). */
export function isOwnMac(mac: string): boolean {
  return !/^(?:.[13579bdf]|00(?::00){5}$)/.test(mac);
}

/** Whether iptables takes a name for a chain (iptables/xshared.c, assert_valid_chain_name). */
export function isChainName(text: string): boolean {
  return /^[^\s!-]\S{0,27}$/.test(text);
}

/** Returns the value of a sysctl as the kernel gives it back: with tabs between numbers (proc_dointvec). Other texts stay. */
export function kernelNumbers(value: string): string {
  return /^\s*-?\d+(?:\s+-?\d+)*\s*$/.test(value) ? value.trim().split(/\s+/).join("\t") : value;
}
