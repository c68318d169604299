const networkNameRule = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const longestProgram = 16 * 1024;
const networkNameWords = "must begin with a letter or digit, followed by letters, digits, '_', '.' and '-' only";

/** What is wrong with a CNI_CONTAINERID, after libcni's ValidateContainerID; nothing if it is right. */
export function containerIdProblem(id: string): string | undefined {
  return networkNameRule.test(id) ? undefined : networkNameWords;
}

/** What is wrong with a network's name, after libcni's ValidateNetworkName; nothing if it is right. */
export function networkNameProblem(name: string): string | undefined {
  return networkNameRule.test(name) ? undefined : networkNameWords;
}

/** What is wrong with an interface name, after libcni's ValidateInterfaceName and the kernel's dev_valid_name. */
export function interfaceNameProblem(name: string): string | undefined {
  const bytes = utf8Length(name);
  if (bytes < 1 || bytes > 15) return "must have 1 to 15 bytes";
  if (name === "." || name === "..") return "must not be '.' or '..'";
  // A NUL would cut the name short in the environment.
  return /[\s\u0085\0/:]/.test(name) ? "must not contain '/', ':' or white space" : undefined;
}

/** What is wrong with a plugin's type: it is looked up in CNI_PATH and must not lead out of it. */
export function typeProblem(type: string): string | undefined {
  if (type === "" || type === "." || type === "..") return "must be the name of an executable";
  return /[/\\\0]/.test(type) ? "must not contain a path separator" : undefined;
}

/** What is wrong with the path of a file; nothing if it is right. */
export function absolutePathProblem(path: string): string | undefined {
  return path.startsWith("/") ? undefined : "must be an absolute path";
}

/** What is wrong with a jq program by its looks; what jq itself makes of it is seen when it is run. */
export function jqProgramProblem(program: string): string | undefined {
  if (program.trim() === "") return "must be a jq program";
  return program.length > longestProgram ? `must not have more than ${longestProgram} characters` : undefined;
}

export const isNetworkName = (name: string): boolean => networkNameProblem(name) === undefined;
export const isInterfaceName = (name: string): boolean => interfaceNameProblem(name) === undefined;
export const isType = (type: string): boolean => typeProblem(type) === undefined;
export const isJqProgram = (program: string): boolean => jqProgramProblem(program) === undefined;
export const isAbsolutePath = (path: string): boolean => absolutePathProblem(path) === undefined;

/** Whether a value can be an index into a list. */
export const isIndex = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

// Not TextEncoder: the core runs on engines without it.
function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    length += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return length;
}
