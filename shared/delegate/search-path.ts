/** Returns the directories of CNI_PATH, cleaned and without repeats. Empty elements are ignored. */
export function searchPath(text: string): string[] {
  const listed: string[] = [];
  for (const directory of text.split(":")) if (directory !== "") listed.push(cleanPath(directory));
  return listed.length > 1 ? [...new Set(listed)] : listed;
}

/** Returns the shortest spelling of a path, as Go's filepath.Clean does. libcni uses it to call plugins. */
export function cleanPath(path: string): string {
  return isClean(path) ? path : cleaned(path);
}

// Every call cleans two paths, and nearly all are already clean.
function isClean(path: string): boolean {
  return path.startsWith("/") && !path.endsWith("/") && !path.includes("//") && !path.includes("/.");
}

function cleaned(path: string): string {
  const isRooted = path.startsWith("/");
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push(part);
  }
  return isRooted ? `/${kept.join("/")}` : kept.join("/") || ".";
}

/** Returns the path of a name in a directory. */
export function pathIn(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}
