/** A fault in the core, as a change of one line. Schedules with siblings must break a promise with it. */
export interface PlantedFault {
  readonly name: string;
  /** Below the repository's root. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

const sharing = "shared/journal/sharing.ts";
const recovery = "shared/journal/recovery-table.ts";
const journal = "shared/journal/journal.ts";
const facts = "shared/journal/facts.ts";
const del = "shared/verbs/del.ts";
const without = "shared/verbs/del-without-entry.ts";
const add = "shared/verbs/run-add.ts";
const removal = "shared/verbs/removal.ts";
const undo = "shared/delegate/undo.ts";
const planRemoval = "shared/delegate/plan-removal.ts";
const undoing = "shared/delegate/undoing.ts";

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "a sibling's lease is freed",
    file: sharing,
    from: "sharing.length > 0 || isLeaseInResults(entry, around)",
    to: "isLeaseInResults(entry, around)",
  },
  {
    name: "a lease is left to an ADD that still runs, and may never have it",
    file: sharing,
    from: "!entry.failed && sharing.length > 0 && sharing.every(({ done }) => !done)",
    to: "false",
  },
  {
    name: "a lease that stays behind is forgotten",
    file: sharing,
    from: "waits: leaseWaits || rulesWait",
    to: "waits: rulesWait",
  },
  {
    name: "an unknown plugin has one lease",
    file: sharing,
    from: "isShared && (isUnknown || mayFail)",
    to: "isShared && mayFail",
  },
  {
    name: "rules count although their namespace is gone",
    file: sharing,
    from: "bootId === entry.bootId && around.isThere(its)",
    to: "bootId === entry.bootId",
  },
  {
    name: "an interface is an entry's by its name alone",
    file: sharing,
    from: "if (link !== done.made) return link === 0;",
    to: "if (link !== done.made) return true;",
  },
  {
    name: "an ADD that still runs holds nothing",
    file: sharing,
    from: "return !entry.failed && entry.bootId === bootId && isThere(entry.namespace);",
    to: "return false;",
  },
  {
    name: "what has the network's name is not shared",
    file: sharing,
    from: "      return other.delegateNetwork === entry.delegateNetwork;",
    to: "      return false;",
  },
  {
    name: "what has the container's name is not shared",
    file: sharing,
    from: `    case "container":
      return true;`,
    to: `    case "container":
      return false;`,
  },
  {
    name: "a masquerading chain is shared with another network",
    file: sharing,
    from: "other.delegateNetwork === delegateNetwork && other.bootId === bootId",
    to: "other.delegateNetwork !== delegateNetwork && other.bootId === bootId",
  },
  {
    name: "a sibling's ports are not published again",
    file: sharing,
    from: "return { ...del, addAgain: shared };",
    to: "return { ...del, addAgain: [] };",
  },
  {
    name: "what was there before a failed ADD is its own",
    file: sharing,
    from: "const isNew = before !== undefined && before !== (failed?.left ?? link);",
    to: "const isNew = true;",
  },
  {
    name: "what may be in use is given up if something else is not",
    file: recovery,
    from: "if (!reasons.includes(undefined))",
    to: "if (reasons.some((reason) => reason !== undefined))",
  },
  {
    name: "only a result that is newer by the clock completes an attachment",
    file: recovery,
    from: "if (resultMs !== undefined && resultMs !== entry.resultMs) return true;",
    to: "if (resultMs !== undefined && resultMs > (entry.resultMs ?? 0)) return true;",
  },
  {
    name: "no address is lent to the next ADD",
    file: recovery,
    from: "return { addresses: lender ? addressesOf(lender) : [], othersWillDo };",
    to: "return { addresses: [], othersWillDo };",
  },
  {
    name: "another namespace of this boot counts as gone",
    file: recovery,
    from: `return present.isThere(entry.namespace) ? undefined : "its namespace is gone";`,
    to: `return "its namespace is gone";`,
  },
  {
    name: "a new try gives nothing up",
    file: recovery,
    from: "if (earlier === undefined) return journal.entries;",
    to: "if (earlier === undefined) return [];",
  },
  {
    name: "a namespace is known by its inode alone",
    file: journal,
    from: "return one.changedMs === undefined || other.changedMs === undefined || one.changedMs === other.changedMs;",
    to: "return true;",
  },
  {
    name: "entries are undone from the first one",
    file: journal,
    from: "place(other) - place(one)",
    to: "place(one) - place(other)",
  },
  {
    name: "a stray ADD counts as attached",
    file: journal,
    from: "return entries.filter(({ stray }) => !stray);",
    to: "return entries;",
  },
  {
    name: "an attachment is a sibling of itself",
    file: facts,
    from: "filter((file) => file !== own);\n    return files.flatMap((file) => this.journalAt(file) ?? []);",
    to: "filter((file) => file !== own || true);\n    return files.flatMap((file) => this.journalAt(file) ?? []);",
  },
  {
    name: "siblings are not found",
    file: facts,
    from: "filter((file) => file !== own);\n    return files.flatMap((file) => this.journalAt(file) ?? []);",
    to: "filter((file) => file === own);\n    return files.flatMap((file) => this.journalAt(file) ?? []);",
  },
  {
    name: "DEL leaves the entries of plugins that an edit removed",
    file: del,
    from: "const isForOwn = (entry: Entry, index: number) => index >= position || isOfEarlierTry(entry, own);",
    to: "const isForOwn = (_: Entry, index: number) => index === position;",
  },
  {
    name: "two DELs at once do not see each other",
    file: del,
    from: "  giveUp(undoing, [entry]);\n  return planRemoval(undoing, entry);",
    to: "  return removal;",
  },
  {
    name: "a DEL that failed is called undone",
    file: del,
    from: "  if (answer.exitCode !== 0) return answer;\n  // A sibling may",
    to: "  // A sibling may",
  },
  {
    name: "an ADD that was given up meanwhile passes",
    file: add,
    from: "return own === undefined || own.isUndone || (own.isGivenUp && !own.stray);",
    to: "return false;",
  },
  {
    name: "nobody looks whether an ADD was given up in the first moment",
    file: add,
    from: `stampOf(session.host.stat(journal.file), byteLength(facts.read(journal.file) ?? ""))`,
    to: "stampOf(session.host.stat(journal.file))",
  },
  {
    name: "ptp frees a sibling's lease",
    file: "plugins/ptp/profile.ts",
    from: "  leasesFirst: true,\n",
    to: "",
  },
  {
    name: "ptp frees the lease of a sibling whose ADD runs at the same time",
    file: "shared/verbs/adding.ts",
    from: ": holdsLease(one, leased) && !isOwnTry(one);",
    to: ": false;",
  },
  {
    name: "the ADD that publishes a sibling's ports again is tried once",
    file: undo,
    from: "if (!passes(undoing, entry, call) && !passes(undoing, entry, call)) continue;",
    to: "if (!passes(undoing, entry, call)) continue;",
  },
  {
    name: "an undo does not look at what another call has added since",
    file: planRemoval,
    from: "return entries.slice(stray ? 0 : entries.findIndex((one) => one.id === id) + 1).filter(isStanding);",
    to: "return [];",
  },
  {
    name: "the rules of an earlier boot are removed by their names",
    file: planRemoval,
    from: `if (!isOfThisBoot(undoing, entry) && entry.role === "meta" && isKnown) {`,
    to: 'if (entry.id === "none") {',
  },
  {
    name: "a journal is removed although another call has written to it",
    file: undoing,
    from: "    entries.some(({ id, isUndone }) => !isUndone && !known.some((one) => one.id === id))",
    to: "    entries.length > 99",
  },
  {
    name: "nothing that waits is undone",
    file: removal,
    from: "for (let pass = 0; pass < 2; pass++)",
    to: "for (let pass = 0; pass < 0; pass++)",
  },
  {
    name: "what waits is undone once",
    file: removal,
    from: "for (let pass = 0; pass < 2; pass++)",
    to: "for (let pass = 0; pass < 1; pass++)",
  },
  {
    name: "GC forgets an interface that waits",
    file: removal,
    from: "netns: undoing.netns || last.namespace.path",
    to: "netns: undoing.netns",
  },
  {
    name: "libcni's result counts although its journal is gone",
    file: removal,
    from: "  facts.wrote(cachedResultFile(key), undefined);\n",
    to: "",
  },
  {
    name: "libcni's result counts after its journal was undone",
    file: "shared/delegate/taken-addresses.ts",
    from: " || facts.isUndone(key)",
    to: "",
  },
  {
    name: "GC removes what is live",
    file: "shared/verbs/gc.ts",
    from: "!valid.has(ownerKey(journal.key)) && !isLive(call, journal)",
    to: "!valid.has(ownerKey(journal.key))",
  },
  {
    name: "a DEL without an entry is decided once for both networks",
    file: without,
    from: "if (index > 0) call.facts.forget(call.key.containerId);",
    to: "",
  },
  {
    name: "sbr's routes are looked for where a sibling had them",
    file: "shared/verbs/check.ts",
    from: "routes.filter(({ dev }) => names.includes(dev))",
    to: "routes.filter(() => names.length > 0)",
  },
  {
    name: "firewall's rules go although a sibling has the address",
    file: "shared/delegate/taken-addresses.ts",
    from: "siblings.has(ipName(one.cidr)) || (!isOwn(one)",
    to: "(!isOwn(one)",
  },
  {
    name: "firewall's rules go although another container has the address",
    file: "shared/delegate/taken-addresses.ts",
    from: "(!isOwn(one) && (one.leases.length > 0 || others.has(ipName(one.cidr)))),",
    to: "false,",
  },
  {
    name: "an address of another interface is narrowed to this one",
    file: "shared/attachment/narrow.ts",
    from: "if (result.ips) narrowed.ips = result.ips.filter(isOwn);",
    to: "",
  },
  {
    name: "a failed ADD's DEL removes the rules that a sibling shares",
    file: sharing,
    from: `if (!entry.done || !profile?.repeatable) return { do: "later" };`,
    to: `if (!profile?.repeatable) return { do: "later" };`,
  },
  {
    name: "a chained plugin gets an interface that a sibling made",
    file: sharing,
    from: "isSameNamespace(entry.namespace, namespace) && !isInterfaceOfOthers(entry, around);",
    to: "isSameNamespace(entry.namespace, namespace) && !around.isTaken();",
  },
  {
    name: "an attachment is complete although its DEL was cut off",
    file: journal,
    from: "return withoutStrays(journal).at(-1)?.isGivenUp === true;",
    to: "return false;",
  },
  {
    name: "an attachment is complete although its DEL was cut off and left what a sibling shares",
    file: journal,
    from: "return withoutStrays(journal).at(-1)?.isGivenUp === true;",
    to: "return withoutStrays(journal).at(-1)?.isUndone === true;",
  },
  {
    name: "what something else made is nobody's",
    file: recovery,
    from: "if (own !== undefined || present.resultMs === undefined) return false;",
    to: "return false;",
  },
  {
    name: "the second of two equal plugins undoes the first one",
    file: recovery,
    from: "own === undefined || isTwins(journal, { own, earlier }, present)",
    to: "own === undefined",
  },
  {
    name: "of two equal plugins, DEL finds the later one's entry",
    file: "shared/journal/own-entry.ts",
    from: `    entries.findLast((entry) => isOfPlugin(entry, plugin)) ??
    entries.findLast((entry) => isOfBlock(entry, plugin)) ??
`,
    to: "",
  },
  {
    name: "what was added again since a reboot is left",
    file: del,
    from: "(bootId === moment.bootId && !isUndone)",
    to: "!isUndone",
  },
  {
    name: "what was added again since an undo is left",
    file: del,
    from: "(bootId === moment.bootId && !isUndone)",
    to: "bootId === moment.bootId",
  },
  {
    name: "what was added again in another namespace is left",
    file: del,
    from: `if (entry.role === "meta" || namespace === undefined) return undefined;`,
    to: "return undefined;",
  },
  {
    name: "a DEL without an entry goes by the interface's name beside a sibling",
    file: without,
    from: "!result && hasOthers(call)) return [];",
    to: "!result && hasOthers(call)) {}",
  },
  {
    name: "the entry that a stray ADD repeats stands",
    file: add,
    from: "if (own === undefined || !isStanding(own)) return [];",
    to: "return [];",
  },
  {
    name: "an ADD that failed does not say which interface it left",
    file: add,
    from: "const left = linkOf(undoing, entry);",
    to: "const left = undefined;",
  },
  {
    name: "siblings are not read again after an entry is given up",
    file: undoing,
    from: "facts.forget(journal.key.containerId, journal.key);",
    to: "",
  },
  {
    name: "a plain sibling's interface counts as nobody's",
    file: sharing,
    from: "around.results().some(({ interfaces }) => interfaces.some((one) => isOfEntry(one, entry)))",
    to: "false",
  },
  {
    name: "a DEL with the list's configuration forgets what a sibling shares by then",
    file: del,
    from: "if (waits) giveUp(undoing, [entry]);\n  else noteUndone",
    to: "noteUndone",
  },
  {
    name: "an unknown plugin's other interfaces are forgotten",
    file: sharing,
    from: "leaseWaits || rulesWait || othersWait",
    to: "leaseWaits || rulesWait",
  },
  {
    name: "an ADD that found its interface in its way has a sibling's masquerading",
    file: undo,
    from: "if (entry.before && left === entry.before) return [];",
    to: "",
  },
  {
    name: "an interface that is gone counts as the one of its name",
    file: sharing,
    from: "!isNameOfOthers(entry, around, failed?.left)",
    to: "!isNameOfOthers(entry, around)",
  },
  {
    name: "a namespace is there although a journal knows a later one with its inode",
    file: facts,
    from: " && !this.#isReplaced(namespace)",
    to: "",
  },
  {
    name: "a DEL without an entry gets a namespace that lacks its interface",
    file: without,
    from: "const isThere = isListed && !isMissing;",
    to: "const isThere = isListed;",
  },
];
