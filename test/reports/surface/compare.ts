import { isDeepStrictEqual } from "node:util";
import { type Container, Lab, type Outcome } from "../../support/lab.ts";
import { normalise } from "../../support/normalise.ts";
import { callPlugin } from "../../support/plugin-call.ts";
import { snapshot, withoutRecords } from "../../support/snapshot.ts";
import type { Json, OwnedCase, Recall } from "./case.ts";
import { configOf } from "./cases.ts";
import { explain } from "./deviations.ts";
import { surfaceVersion } from "./go-options.ts";

/** The steps in a container's life. */
export interface Story {
  readonly add: Outcome;
  /** Only if ADD passed. */
  readonly attached?: unknown;
  readonly check?: Outcome;
  readonly del: Outcome;
  readonly detached: unknown;
}

/** The result of one case in one version. */
export interface Comparison {
  /** `refused` is `same`, but the plain plugin does not accept the value in this version, or has no CHECK there. */
  readonly verdict: "same" | "allowed" | "refused" | "differs";
  /** The steps that differ, each with the deviation that allows it, if there is one. */
  readonly differences: readonly { readonly step: keyof Story; readonly allowed: string | undefined }[];
  readonly plain: Story;
  readonly wrapped: Story;
}

/** MACs that the cases choose. They are compared as they are. */
const chosenMacs = ["76", "77", "78"].map((end) => `02:00:00:00:00:${end}`);

/** Runs a case with the plain plugin and with the wrapped one, each in its own lab. */
export async function compare(each: OwnedCase, cniVersion: string): Promise<Comparison> {
  const [plain, wrapped] = await Promise.all([
    tellPlain(each, cniVersion),
    tell(each, cniVersion, `${each.plugin}-wrapper`),
  ]);
  const steps = ["add", "attached", "check", "del", "detached"] as const;
  const differences = steps
    .filter((step) => !isDeepStrictEqual(plain[step], wrapped[step]))
    .map((step) => ({ step, allowed: explain(each, step, plain, wrapped) }));
  return { verdict: verdictOf(each, plain, differences), differences, plain, wrapped };
}

function verdictOf(each: OwnedCase, plain: Story, differences: Comparison["differences"]): Comparison["verdict"] {
  if (differences.some(({ allowed }) => allowed === undefined)) return "differs";
  if (differences.length > 0) return "allowed";
  return isRefused(each, plain) ? "refused" : "same";
}

function isRefused({ recall, fails }: OwnedCase, { add, check }: Story): boolean {
  if (recall) return check === undefined || check.stdout.includes("config version does not allow CHECK");
  return add.exitCode !== 0 && fails === undefined;
}

/** The container's life with the plain plugin. */
export function tellPlain(each: OwnedCase, cniVersion: string): Promise<Story> {
  return tell(each, cniVersion, each.plugin);
}

/** A container's life with one plugin, with the calls of libcni. */
async function tell(each: OwnedCase, cniVersion: string, plugin: string): Promise<Story> {
  await using lab = await Lab.start({ plugins: surfaceVersion });
  const container = await lab.addContainer("c1");
  if (each.before) await lab.run("sh", ["-ec", each.before]);
  const call = (verb: string, more: Json = {}) =>
    callPlugin(lab, container, {
      plugin,
      config: { cniVersion, ...configOf(each), ...more },
      env: { CNI_COMMAND: verb, CNI_ARGS: each.args ?? "" },
    });
  const add = await call("ADD");
  const passed = add.exitCode === 0;
  const attached = passed ? { attached: withoutRecords(await snapshot(lab, container)) } : {};
  // As in libcni: before 0.4.0 only ADD gets prevResult.
  const recalled = passed && cniVersion >= "0.4.0" ? recall(JSON.parse(add.stdout), each.recall, container) : {};
  const check = passed ? { check: await call("CHECK", recalled) } : {};
  const del = await call("DEL", recalled);
  const left = await snapshot(lab, container);
  // A DEL that fails keeps the record for the next DEL.
  const detached = del.exitCode === 0 ? left : withoutRecords(left);
  // The kernel's order of the links numbers the MACs: wrapped results may have another order of interfaces.
  return normalise({ ...attached, add, ...check, del, detached }, { keep: chosenMacs });
}

interface Result extends Json {
  interfaces?: { name: string; mac?: string; sandbox?: string }[];
  ips?: { address: string; interface?: number }[];
}

/** A call's prevResult after an ADD, as plugin configuration. */
function recall(result: Result, how: Recall | undefined, { netns }: Container): Json {
  const { interfaces = [], ips = [] } = result;
  const inside = (change: object) => interfaces.map((each) => (each.sandbox === netns ? { ...each, ...change } : each));
  const changes: Record<Exclude<Recall, "none">, Json> = {
    "another MAC": { interfaces: inside({ mac: "02:00:00:00:00:99" }) },
    "another MAC of the bridge": {
      interfaces: interfaces.toSpliced(0, 1, { name: "disc0", mac: "02:00:00:00:00:99" }),
    },
    "another address": { ips: ips.map((ip) => ({ ...ip, address: ip.address.replace(/\.\d+\//, ".99/") })) },
    "another name": { interfaces: inside({ name: "eth9" }) },
    "another sandbox": { interfaces: inside({ sandbox: "/run/netns/other" }) },
    "an index that is too high": { ips: ips.map((ip) => ({ ...ip, interface: 9 })) },
    "no interfaces": { interfaces: [], ips: ips.map(withoutIndex) },
    "ips without interface": { ips: ips.map(withoutIndex) },
  };
  return how === "none" ? {} : { prevResult: { ...result, ...(how && changes[how]) } };
}

function withoutIndex({ interface: _, ...ip }: { interface?: number }): Json {
  return ip;
}
