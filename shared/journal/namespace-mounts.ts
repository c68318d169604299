/** Returns the namespaces among the mounts of a process with their paths (proc(5), mountinfo). */
export function namespaceMounts(mountinfo: string): readonly (readonly [string, string])[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [, id, path] = /^\S+ \S+ \S+ (net:\[\d+\]) (\S+) .* - nsfs /.exec(line) ?? [];
    if (id === undefined || path === undefined) return [];
    return [[id, path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))]];
  });
}
