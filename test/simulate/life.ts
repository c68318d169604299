import { type Container, firstOf, secondOf } from "./lists.ts";
import type { Machine } from "./machine.ts";

/** What the runtime has done with an attachment. */
export interface Life {
  readonly container: Container;
  /** `tried`: its last ADD failed. */
  phase: "none" | "tried" | "attached";
  /** The boot and the namespace of its last ADD, and when that was. */
  boot?: number;
  serial?: number | undefined;
  addedAt?: number;
  addresses?: Readonly<Record<string, readonly string[]>>;
  /** A second attachment whose list makes an interface that the container has already: ADD must fail. */
  readonly isClash?: boolean;
  /** The ADD of a clash was killed. It may have made the interface: ADD of the other attachment may fail until DEL. */
  isUncertain?: boolean;
  /** A record of another namespace of this boot makes ADD fail until DEL. */
  isStuck?: boolean;
  /**
   * ADD ended early, and had no record although libcni has a result: the GC of another runtime took it after a reboot. The
   * result may be of a plain plugin's live attachment, so nothing may be undone: ADD may fail until DEL.
   */
  isUnrecorded?: boolean;
}

/** Attachments that come and go. Some containers have two. */
export function newLives(): Life[] {
  return [
    ...["c1", "c2", "c3", "c4"].map((id): Life => ({ container: firstOf(id), phase: "none" })),
    { container: secondOf("c1", "side"), phase: "none" },
    { container: secondOf("c2", "zone"), phase: "none", isClash: true },
    { container: secondOf("c3", "cross"), phase: "none", isClash: true },
  ];
}

const minute = 60_000;

/** Whether the boot and the namespace of the last ADD are still there. */
export function isInPlace({ namespaces, boot }: Machine, life: Life): boolean {
  return life.boot === boot && namespaces.get(life.container.netns)?.serial === life.serial;
}

/** Whether ADD must pass: for a new container, after a reboot, and after a try in this namespace that is not too old. */
export function mustPass(machine: Machine, life: Life): boolean {
  if (life.isUnrecorded) return false;
  if (life.phase === "none" || life.boot !== machine.boot) return true;
  const isYoung = machine.now - (life.addedAt ?? 0) < 14 * minute;
  return life.phase === "tried" && !life.isStuck && isInPlace(machine, life) && isYoung;
}

/** Notes the end of an ADD in a boot and a namespace. */
export function noteAdd(life: Life, { boot, now }: Machine, serial: number, passed: boolean): void {
  if (life.phase === "attached" && life.boot === boot && !passed) return;
  Object.assign(life, { boot, serial, addedAt: now, phase: passed ? "attached" : "tried" });
  if (passed) Object.assign(life, { isStuck: false, isUnrecorded: false });
}

/** Notes that nothing is left of a container. */
export function noteDel(life: Life): void {
  Object.assign(life, { phase: "none", isStuck: false, isUnrecorded: false, isUncertain: false });
}
