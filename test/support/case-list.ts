/** The committed cases of a test file: a name, or a name with a feature that the host may lack. */
export type CaseList = Record<string, (string | { readonly name: string; readonly needs: string })[]>;

/** The executed cases of each test file. */
export type ExecutedCases = Record<string, { readonly name: string; readonly skipped: boolean }[]>;

/** The differences between a run and the committed list, one sentence each. A good run has none. */
export function differences(listed: CaseList, executed: ExecutedCases): string[] {
  const files = [...new Set([...Object.keys(listed), ...Object.keys(executed)])].sort();
  return files.flatMap((file) => {
    const expected = new Map((listed[file] ?? []).map((entry) => [nameOf(entry), needsOf(entry)]));
    const cases = executed[file] ?? [];
    const found = new Map(cases.map(({ name, skipped }) => [name, skipped]));
    return [
      ...cases
        .filter(({ name }, index) => cases.findIndex((other) => other.name === name) < index)
        .map(({ name }) => `${file}: two cases have this name: ${name}`),
      ...[...expected.keys()].filter((name) => !found.has(name)).map((name) => `${file}: not run: ${name}`),
      ...[...found.keys()].filter((name) => !expected.has(name)).map((name) => `${file}: not in the list: ${name}`),
      ...[...found]
        .filter(([name, skipped]) => skipped && expected.has(name) && !expected.get(name))
        .map(([name]) => `${file}: skipped, and the list does not say what it needs: ${name}`),
    ];
  });
}

/** The list for the executed cases. `needs` is kept from the list before. */
export function renewed(listed: CaseList, executed: ExecutedCases): CaseList {
  return Object.fromEntries(
    Object.entries(executed).map(([file, cases]) => [
      file,
      cases.map(({ name }) => listed[file]?.find((entry) => nameOf(entry) === name) ?? name),
    ]),
  );
}

function nameOf(entry: CaseList[string][number]): string {
  return typeof entry === "string" ? entry : entry.name;
}

function needsOf(entry: CaseList[string][number]): string {
  return typeof entry === "string" ? "" : entry.needs;
}
