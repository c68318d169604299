interface CatalogueEntry {
  /** SPEC.md, section 2 "Errors": 0 to 99 are the specification's, 100 and above the plugin's own. */
  readonly code: number;
  /** One short sentence; `%s` is where the subject goes. */
  readonly msg: string;
  /** What to do about it. */
  readonly hint: string;
}

/**
 * Every error that a wrapper reports of its own. Wordings that the reference plugins have for the same fault are theirs.
 * No text here may say "not found" or "no such file": go-cni's Remove ignores every error that does (cni.go).
 */
export const catalogue = {
  incompatibleVersion: {
    code: 1,
    msg: "incompatible CNI versions",
    hint: "In a chain, an interface with a name of its own needs cniVersion 0.3.0, 0.3.1, 0.4.0, 1.0.0 or 1.1.0.",
  },
  missingVariables: {
    code: 4,
    msg: "required env variables [%s] missing",
    hint: "The container runtime sets them; SPEC.md, section 2, lists what each verb needs.",
  },
  invalidVariable: {
    code: 4,
    msg: "invalid env variable %s",
    hint: "The container runtime sets it; the rule is in SPEC.md, section 2.",
  },
  unknownCommand: {
    code: 4,
    msg: "unknown CNI_COMMAND: %s",
    hint: "Known are ADD, DEL, CHECK, GC, STATUS and VERSION.",
  },
  unreadableInput: {
    code: 5,
    msg: "error reading from stdin",
    hint: "The plugin configuration is expected on stdin.",
  },
  oversizedInput: {
    code: 5,
    msg: "plugin configuration is too large",
    hint: "At most 8 MiB are read from stdin.",
  },
  undecodableInput: {
    code: 6,
    msg: "error unmarshall network config",
    hint: "The plugin configuration on stdin must be one JSON object in UTF-8.",
  },
  invalidConfiguration: {
    code: 7,
    msg: "invalid plugin configuration: %s",
    hint: "Mend it in the network configuration list.",
  },
  unknownWrapperKey: {
    code: 7,
    msg: "invalid plugin configuration: unknown key %s",
    hint: "What is not the wrapper's stands beside the wrapper block, not in it.",
  },
  misplacedKey: {
    code: 7,
    msg: "invalid plugin configuration: misplaced key %s",
    hint: 'Keys of the wrapper belong in a "wrapper" block at the top level of the plugin\'s configuration, where the plugin does not see them.',
  },
  unnamedDelegate: {
    code: 7,
    msg: "no delegate: %s",
    hint: 'Start the executable by a link named <plugin>-wrapper, or set "delegate" under "wrapper".',
  },
  interfaceNameTaken: {
    code: 7,
    msg: "interface name %s is taken",
    hint: 'Give each interface creator of the list a name of its own: "wrapper": { "ifName": "eth1" }.',
  },
  invalidPrevResult: {
    code: 7,
    msg: "invalid prevResult: %s",
    hint: "It is what the plugins before this one returned; look there.",
  },
  unavailable: {
    code: 50,
    msg: "plugin not available: delegate %s is missing",
    hint: "Install the plugin in a directory of CNI_PATH.",
  },
  delegateNotFound: {
    code: 100,
    msg: "delegate %s is missing",
    hint: "Install the plugin in a directory of CNI_PATH, or beside the wrapper.",
  },
  delegateDied: {
    code: 101,
    msg: "delegate %s died",
    hint: "Look in the kernel's and the plugin's logs.",
  },
  invalidDelegateOutput: {
    code: 102,
    msg: "output of delegate %s is invalid",
    hint: "The wrapper has run the delegate's DEL, so that nothing is left behind.",
  },
  attachmentMissing: {
    code: 103,
    msg: "interface %s is not in prevResult",
    hint: 'Set "ifName" under "wrapper" to a name that is there, and let the interface creator stand before the plugins that act on its interface.',
  },
  delegateNotStarted: {
    code: 104,
    msg: "delegate %s cannot be started",
    hint: "Reinstall the plugin, for this machine's architecture.",
  },
  routingMissing: {
    code: 105,
    msg: "routing of interface %s has changed",
    hint: "What the plugin put into a routing table of its own is not there any more: attach the container again.",
  },
  routingUnreadable: {
    code: 106,
    msg: "routing of interface %s cannot be read",
    hint: "Install iproute2 (ip) and util-linux (nsenter); they must be in the runtime's PATH or in the usual places.",
  },
  addressTaken: {
    code: 107,
    msg: "address %s is taken",
    hint: 'Set "network" under "wrapper" to the name of the list, so that both interfaces share one pool of leases, or give each a subnet of its own.',
  },
  internal: {
    code: 999,
    msg: "internal error of the wrapper",
    hint: "Please report it, with the configuration.",
  },
} satisfies Record<string, CatalogueEntry>;

export type ErrorKey = keyof typeof catalogue;

/** The catalogue's entry for an error. */
export function entryOf(key: ErrorKey): CatalogueEntry {
  return catalogue[key];
}
