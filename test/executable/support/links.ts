import { type Holder, hold } from "../../../build/holder.ts";

// ip(8) shows one end of the pair as `near0@far0`. It has a second name.
const script = `
  ip link add near0 index 7 type veth peer name far0 &&
  ip link property add dev near0 altname alias0 &&
  echo made && cat`;

/** Makes a network namespace with a few links. It lasts as long as its holder. */
export function holdLinks(): Promise<Holder> {
  return hold("unshare", ["--net", "sh", "-c", script]);
}

/** The indexes of interfaces in that namespace, by name. */
export const indexes: Readonly<Record<string, number>> = {
  near0: 7,
  lo: 1,
  near: 0,
  "near0@far0": 0,
  "near0:1": 0,
  alias0: 0,
};

/** Paths that lead to no network namespace. */
export const noNamespaces: readonly string[] = ["/nowhere", "/etc/passwd", "/proc/self/ns/mnt", "/", ""];
