/** A call that the power is cut in, and the verb after the next boot. */
export interface Moment {
  readonly cut: string;
  readonly recover: "ADD" | "DEL" | "GC";
  /** The interfaces that had their addresses completely when the power was cut. ADD must keep these addresses. */
  readonly keeps?: readonly string[];
}

const both = ["eth0", "eth1"];

// 1 is the plugin's first call of the verb. A list's DEL begins with its last plugin. Some moments leave the same files as
// their neighbours. These have another verb.
const moments: readonly Moment[] = [
  { cut: "ADD before 1 macvlan", recover: "ADD" },
  { cut: "ADD before 1 host-local", recover: "DEL" },
  { cut: "ADD after 1 host-local", recover: "ADD" },
  { cut: "ADD after 1 macvlan", recover: "DEL" },
  { cut: "ADD after 1 macvlan-wrapper", recover: "ADD", keeps: ["eth0"] },
  { cut: "ADD before 1 bridge", recover: "GC" },
  { cut: "ADD after 2 host-local", recover: "ADD", keeps: ["eth0"] },
  { cut: "ADD after 1 bridge", recover: "GC" },
  { cut: "ADD before 1 tuning", recover: "ADD", keeps: both },
  { cut: "ADD after 1 tuning-wrapper", recover: "DEL" },
  { cut: "DEL before 1 tuning-wrapper", recover: "ADD", keeps: both },
  { cut: "DEL after 1 tuning", recover: "DEL" },
  { cut: "DEL before 1 bridge", recover: "ADD", keeps: both },
  { cut: "DEL before 1 host-local", recover: "GC" },
  { cut: "DEL after 1 host-local", recover: "ADD", keeps: both },
  { cut: "DEL after 1 bridge-wrapper", recover: "GC" },
  { cut: "DEL before 1 macvlan", recover: "ADD", keeps: ["eth0"] },
  { cut: "DEL after 2 host-local", recover: "DEL" },
  { cut: "DEL after 1 macvlan", recover: "ADD", keeps: ["eth0"] },
  { cut: "DEL after 1 macvlan-wrapper", recover: "GC" },
];

/** The moments of one of `parts`. Neighbours stay together, so each part has every verb. */
export function momentsOf(part: number, parts: number): Moment[] {
  return moments.filter((_, index) => Math.floor(index / 2) % parts === part);
}

/** The name of a moment's case: it says all that the case shows. */
export function caseOf(moment: Moment): string {
  return `power pulled: ${moment.cut}; after the reboot ${shownBy(moment)}, and the others keep what they have`;
}

function shownBy({ recover, keeps = [] }: Moment): string {
  if (recover === "DEL") return "DEL leaves nothing, GC passes";
  if (recover === "GC") return "GC alone leaves nothing";
  const kept = keeps.map((name) => `${name} keeps its address, `).join("");
  return `ADD and CHECK pass, ${kept}DEL leaves nothing`;
}
