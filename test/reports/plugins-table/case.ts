import type { Container, Lab } from "../../support/lab.ts";
import type { needs } from "../../support/needs.ts";
import type { AttachOptions } from "../../support/runtime.ts";

/** A plugin configuration as an operator writes it, without a wrapper. */
export type Plugin = Readonly<Record<string, unknown>>;

/** Which of two equal plugins in one chain: the first or the second. */
export type Which = 0 | 1;

/** The interface that a plugin made or acts on. */
export interface Place {
  readonly lab: Lab;
  readonly container: Container;
  readonly ifName: string;
}

/** The trial of a wrapped plugin in each place of a chain. */
export interface PluginCase {
  readonly role: "creator" | "meta";
  /** Its configuration. Two of them work together in one chain. */
  readonly plugin: (which: Which, ifName: string) => Plugin;
  /** The effect of its ADD, read without the plugin, and the expected value. */
  readonly effect: {
    readonly read: (place: Place) => Promise<unknown>;
    readonly expected: (which: Which, ifName: string) => unknown;
  };
  /** A fault after a CHECK that passed, and the message of the next CHECK. */
  readonly fault: {
    readonly words: string;
    readonly make: (place: Place, which: Which) => Promise<unknown>;
    readonly message: (ifName: string) => RegExp;
  };
  readonly prepare?: (lab: Lab) => Promise<unknown>;
  readonly needs?: keyof typeof needs;
  readonly options?: AttachOptions;
}

/** host-local with one range. */
export function leased(subnet: string): Plugin {
  return { type: "host-local", ranges: [[{ subnet }]] };
}

/** The addresses of an interface in the kernel. */
export function addresses({ lab, container, ifName }: Place): Promise<string[]> {
  return lab.kernel.addresses(container, ifName);
}

/** A fault of creators: the interface loses its address. */
export function addressLost(address: (which: Which) => string): PluginCase["fault"] {
  return {
    words: "address lost",
    make: ({ lab, container, ifName }, which) => lab.ip(container, "address", "del", address(which), "dev", ifName),
    message: (ifName) => new RegExp(`^Failed to match addr \\S+ on interface ${ifName}$`),
  };
}

/** A fault of creators: the interface has another MAC. */
export const macChanged: PluginCase["fault"] = {
  words: "MAC changed",
  make: ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, "address", "02:00:00:00:00:99"),
  message: (ifName) => new RegExp(`nterface ${ifName} Mac \\S+ doesn't match container Mac: 02:00:00:00:00:99$`),
};
