/** A fault in the core: a text that occurs once in the file, and what takes its place. */
export type PlantedFault = readonly [from: string, to: string];

/** Changes of one line, by file and by name, that the mutation tool does not make. Schedules with siblings must break a promise with each. */
export const plantedFaults: Readonly<Record<string, Readonly<Record<string, PlantedFault>>>> = {
  "shared/journal/sharing.ts": {
    "a lease is left to an ADD that still runs, and may never have it": [
      "!entry.failed && sharing.length > 0 && sharing.every(({ done }) => !done)",
      "false",
    ],
    "an ADD that still runs holds nothing": [
      "return !entry.failed && entry.bootId === bootId && isThere(entry.namespace);",
      "return false;",
    ],
    "a sibling's ports are not published again": [
      "return { ...del, addAgain: shared };",
      "return { ...del, addAgain: [] };",
    ],
    "what was there before a failed ADD is its own": [
      "const isNew = before !== undefined && before !== (failed?.left ?? link);",
      "const isNew = true;",
    ],
    "a chained plugin gets an interface that a sibling made": [
      "isSameNamespace(entry.namespace, namespace) && !isInterfaceOfOthers(entry, around);",
      "isSameNamespace(entry.namespace, namespace) && !around.isTaken();",
    ],
    "a plain sibling's interface counts as nobody's": [
      "around.results().some(({ interfaces }) => interfaces.some((one) => isOfEntry(one, entry)))",
      "false",
    ],
    "an interface that is gone counts as the one of its name": [
      "!isNameOfOthers(entry, around, failed?.left)",
      "!isNameOfOthers(entry, around)",
    ],
  },
  "shared/journal/recovery-table.ts": {
    "what may be in use is given up if something else is not": [
      "if (!reasons.includes(undefined))",
      "if (reasons.some((reason) => reason !== undefined))",
    ],
    "only a result that is newer by the clock completes an attachment": [
      "if (resultMs !== undefined && resultMs !== entry.resultMs) return true;",
      "if (resultMs !== undefined && resultMs > (entry.resultMs ?? 0)) return true;",
    ],
    "a new try gives nothing up": [
      "if (earlier === undefined) return journal.entries;",
      "if (earlier === undefined) return [];",
    ],
    "what something else made is nobody's": [
      "if (own !== undefined || present.resultMs === undefined) return false;",
      "return false;",
    ],
  },
  "shared/journal/journal.ts": {
    "of two equal plugins, DEL finds the later one's entry": [
      `  isOfPlugin,
  isOfBlock,
`,
      "",
    ],
    "a namespace is known by its inode alone": [
      "return one.changedMs === undefined || other.changedMs === undefined || one.changedMs === other.changedMs;",
      "return true;",
    ],
    "entries are undone from the first one": ["place(other) - place(one)", "place(one) - place(other)"],
    "a stray ADD counts as attached": ["return entries.filter(({ stray }) => !stray);", "return entries;"],
    "an attachment is complete although its DEL was cut off and left what a sibling shares": [
      "return withoutStrays(journal).at(-1)?.isGivenUp === true;",
      "return withoutStrays(journal).at(-1)?.isUndone === true;",
    ],
  },
  "shared/verbs/del.ts": {
    "DEL leaves the entries of plugins that an edit removed": [
      "const isForOwn = (entry: Entry, index: number) => index >= position || isOfEarlierTry(entry, own);",
      "const isForOwn = (_: Entry, index: number) => index === position;",
    ],
    "two DELs at once do not see each other": [
      "  giveUp(undoing, [entry]);\n  return planRemoval(undoing, entry);",
      "  return removal;",
    ],
    "what was added again in another namespace is left": [
      `if (entry.role === "meta" || namespace === undefined) return undefined;`,
      "return undefined;",
    ],
    "a DEL with the list's configuration forgets what a sibling shares by then": [
      "if (waits) giveUp(undoing, [entry]);\n  else noteUndone",
      "noteUndone",
    ],
  },
  "shared/verbs/run-add.ts": {
    "an ADD that was given up meanwhile passes": [
      "return own === undefined || own.isUndone || (own.isGivenUp && !own.stray);",
      "return false;",
    ],
    "nobody looks whether an ADD was given up in the first moment": [
      `stampOf(session.host.stat(journal.file), byteLength(facts.read(journal.file) ?? ""))`,
      "stampOf(session.host.stat(journal.file))",
    ],
    "the entry that a stray ADD repeats stands": [
      "if (own === undefined || !isStanding(own)) return [];",
      "return [];",
    ],
    "an ADD that failed does not say which interface it left": [
      "const left = linkOf(undoing, entry);",
      "const left = undefined;",
    ],
  },
  "shared/verbs/add.ts": {
    "ptp frees the lease of a sibling whose ADD runs at the same time": [
      ": holdsLease(one, leased) && !isOwnTry(one);",
      ": false;",
    ],
  },
  "shared/delegate/undoing.ts": {
    "an undo does not look at what another call has added since": [
      "return entries.slice(stray ? 0 : entries.findIndex((one) => one.id === id) + 1).filter(isStanding);",
      "return [];",
    ],
    "the rules of an earlier boot are removed by their names": [
      `if (!isOfThisBoot(undoing, entry) && entry.role === "meta" && isKnown) {`,
      'if (entry.id === "none") {',
    ],
    "a journal is removed although another call has written to it": [
      "    entries.some(({ id, isUndone }) => !isUndone && !known.some((one) => one.id === id))",
      "    entries.length > 99",
    ],
    "siblings are not read again after an entry is given up": [
      "facts.forget(journal.key.containerId, journal.key);",
      "",
    ],
  },
  "shared/verbs/removal.ts": {
    "what waits is undone once": ["facts.siblings(key).length > 0 ? 2 : 1", "1"],
  },
  "shared/verbs/check.ts": {
    "sbr's routes are looked for where a sibling had them": [
      "routes.filter(({ dev }) => names.includes(dev))",
      "routes.filter(() => names.length > 0)",
    ],
  },
  "shared/delegate/taken-addresses.ts": {
    "firewall's rules go although another container has the address": [
      "(!isOwn(one) && (one.leases.length > 0 || others.has(ipName(one.cidr)))),",
      "false,",
    ],
  },
  "shared/verbs/del-without-entry.ts": {
    "a DEL without an entry goes by the interface's name beside a sibling": [
      "!result && hasOthers(call)) return [];",
      "!result && hasOthers(call)) {}",
    ],
  },
  "shared/delegate/undo.ts": {
    "an ADD that found its interface in its way has a sibling's masquerading": [
      "if (entry.before && left === entry.before) return [];",
      "",
    ],
  },
};
