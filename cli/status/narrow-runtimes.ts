import { join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { processesNamed } from "../host/programs.ts";

/** Node reserves some 1.2 GB when it starts. With less it ends without an answer. In bytes. */
export const neededAddressSpace = 2 * 1024 ** 3;

const runtimes = ["nomad", "containerd", "crio", "dockerd"];

/**
 * Finds runtimes with a low limit of address space, in bytes, which their plugins inherit: it may be too little for the Node
 * flavor. The limit of open files says nothing: Go raises its own, and gives plugins the old one.
 */
export function narrowRuntimes(processes?: string, owner?: number) {
  return processesNamed(runtimes, processes, owner).flatMap(({ name, pid, path }) => {
    const limits = readFile(join(path, "limits")) ?? "";
    // NaN if it is unlimited, and NaN is not less than any number.
    const addressSpace = Number(/^Max address space +(\d+) /m.exec(limits)?.[1]);
    return addressSpace < neededAddressSpace ? { name, pid, addressSpace } : [];
  });
}
