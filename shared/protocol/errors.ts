interface CatalogueEntry {
  /** SPEC.md, section 2 "Errors": the specification defines 0 to 99, a plugin defines 100 and above. */
  readonly code: number;
  /** One short sentence. `%s` is replaced with the subject. */
  readonly msg: string;
  /** Tells the operator what to do. */
  readonly hint: string;
}

/**
 * Every error that the wrapper itself reports. If the reference plugins have a message for the same error, it is theirs. No
 * text may contain "not found" or "no such file": go-cni's Remove ignores errors that do (cni.go).
 */
export const catalogue = {
  incompatibleVersion: {
    code: 1,
    msg: "incompatible CNI versions",
    hint: "Set cniVersion of the list to 0.3.0, 0.3.1, 0.4.0, 1.0.0 or 1.1.0.",
  },
  missingVariables: {
    code: 4,
    msg: "required env variables [%s] missing",
    hint: "The container runtime sets them. SPEC.md, section 2, lists the variables that each verb needs.",
  },
  invalidVariable: {
    code: 4,
    msg: "invalid env variable %s",
    hint: "The container runtime sets it. SPEC.md, section 2, has the rule.",
  },
  unknownCommand: {
    code: 4,
    msg: "unknown CNI_COMMAND: %s",
    hint: "The commands are ADD, DEL, CHECK, GC, STATUS and VERSION.",
  },
  unreadableInput: {
    code: 5,
    msg: "error reading from stdin",
    hint: "The wrapper expects the plugin configuration on stdin.",
  },
  oversizedInput: {
    code: 5,
    msg: "plugin configuration is too large",
    hint: "The wrapper reads at most 8 MiB from stdin.",
  },
  unwritableJournal: {
    code: 5,
    msg: "error writing the journal",
    hint: "The wrapper must be able to write to /var/lib/cni/wrappers, as libcni to /var/lib/cni/results.",
  },
  unreadableJournal: {
    code: 5,
    msg: "error reading the journal or result of another attachment",
    hint: "DEL does not know what that attachment has. The wrapper must be able to read /var/lib/cni.",
  },
  undecodableInput: {
    code: 6,
    msg: "error unmarshall network config",
    hint: "The plugin configuration on stdin must be one JSON object in UTF-8.",
  },
  invalidConfiguration: {
    code: 7,
    msg: "invalid plugin configuration: %s",
    hint: "Fix it in the network configuration list.",
  },
  unknownWrapperKey: {
    code: 7,
    msg: "invalid plugin configuration: unknown key %s",
    hint: "Move the plugin's own keys out of the wrapper block.",
  },
  misplacedKey: {
    code: 7,
    msg: "invalid plugin configuration: misplaced key %s",
    hint: 'Put the keys of the wrapper into a "wrapper" block at the top level of the plugin\'s configuration.',
  },
  unnamedDelegate: {
    code: 7,
    msg: "no delegate: %s",
    hint: 'Start the executable through a link named <plugin>-wrapper, or set "delegate" under "wrapper".',
  },
  interfaceNameTaken: {
    code: 7,
    msg: "interface name %s is taken",
    hint: 'Give each interface plugin of the list its own name: "wrapper": { "ifName": "eth1" }.',
  },
  invalidPrevResult: {
    code: 7,
    msg: "invalid prevResult: %s",
    hint: "An earlier plugin of the list returned it. Look for the fault there.",
  },
  unavailable: {
    code: 50,
    msg: "plugin not available: delegate %s is missing",
    hint: "Install the plugin in a directory of CNI_PATH.",
  },
  delegateNotFound: {
    code: 100,
    msg: "delegate %s is missing",
    hint: "Install the plugin in a directory of CNI_PATH, or next to the wrapper.",
  },
  delegateDied: {
    code: 101,
    msg: "delegate %s died",
    hint: "Read the kernel's log and the plugin's log.",
  },
  invalidDelegateOutput: {
    code: 102,
    msg: "output of delegate %s is invalid",
    hint: "The plugin is faulty. At level debug, the log has its answer (up to 8 MiB). After an ADD, the wrapper runs its DEL to clean up.",
  },
  attachmentMissing: {
    code: 103,
    msg: "interface %s is not in prevResult",
    hint: 'Set "ifName" under "wrapper" to a name in prevResult, and put the interface plugin before the plugins that act on its interface. If a running container has the interface, cni-wrappers adopt may complete its result.',
  },
  delegateNotStarted: {
    code: 104,
    msg: "delegate %s cannot be started",
    hint: "The details have the kernel's reason. ENOEXEC: reinstall the plugin for this machine's architecture. ENOMEM or EAGAIN: the host has no memory or no process left.",
  },
  routingMissing: {
    code: 105,
    msg: "routing of interface %s has changed",
    hint: "A route, a rule or an address that ADD left is gone. Attach the container again.",
  },
  routingUnreadable: {
    code: 106,
    msg: "routing of interface %s cannot be read",
    hint: "Install iproute2 (ip) and util-linux (nsenter). They must be in the runtime's PATH or in the usual directories.",
  },
  addressTaken: {
    code: 107,
    msg: "address %s is taken",
    hint: 'Give each interface its own subnet. Or set "network" under "wrapper" to the name of the list: both interfaces then share one pool of leases.',
  },
  givenUp: {
    code: 108,
    msg: "interface %s was given up during ADD",
    hint: "Another ADD or DEL of this attachment ran at the same time. Let the runtime attach the container again.",
  },
  noRouterAddress: {
    code: 109,
    msg: "interface %s has no IPv6 address from a router",
    hint: 'A router of the interface\'s network must advertise a prefix. Or set a longer "wait" under "slaac", or "required" to false.',
  },
  internal: {
    code: 999,
    msg: "internal error of the wrapper",
    hint: "Please report it with the plugin configuration.",
  },
} satisfies Record<string, CatalogueEntry>;

/** The name of an error in the catalogue. */
export type ErrorKey = keyof typeof catalogue;

/** An error that the wrapper itself reports: an entry of the catalogue and its subject. */
export class CniError extends Error {
  readonly key: ErrorKey;
  readonly code: number;
  details: string;

  /** `subject` goes into the message, `what` into the details before the hint. */
  constructor(key: ErrorKey, subject: string, what = "") {
    const { code, msg, hint } = catalogue[key];
    super(msg.replace("%s", () => subject));
    this.key = key;
    this.code = code;
    this.details = what === "" ? hint : `${what}. ${hint}`;
  }
}

/** Turns anything that was thrown into an error of the catalogue, so that no stack trace reaches a runtime. */
export function toCniError(thrown: unknown): CniError {
  if (thrown instanceof CniError) return thrown;
  const words = String(thrown);
  // go-cni's Remove ignores errors with these words, and Node uses them for ENOENT.
  return new CniError("internal", "", words.replace(/no such file or directory|no such file|not found/gi, "missing"));
}
