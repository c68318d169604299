import { readFile } from "../../shared/host/node/files.ts";
import { addressText } from "../lists/addresses.ts";

/** A default route of the host, for IPv4. */
export interface DefaultRoute {
  readonly device: string;
  readonly gateway: string;
}

/** Reads the default routes of this host. Each number is hexadecimal, and its bytes are in the order of the machine: little-endian. */
export function defaultRoutes(text = readFile("/proc/net/route") ?? ""): readonly DefaultRoute[] {
  return text.split("\n").flatMap((line) => {
    const [device = "", destination, gateway = "", , , , , mask] = line.split("\t");
    if (destination !== "00000000" || mask !== "00000000" || gateway === "00000000") return [];
    const bytes = gateway.match(/../g) ?? [];
    return [{ device, gateway: addressText({ bits: 32, value: BigInt(`0x${bytes.reverse().join("")}`) }) }];
  });
}
