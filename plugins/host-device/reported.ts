import type { Reported } from "../../shared/plugin/reported.ts";

/** host-device takes an interface of the host. The list may name it by `device`, by its MAC or by its bus. */
export const hostDevice: Reported = { uses: { key: "device", fallback: "a host interface" } };
