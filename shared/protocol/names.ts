/** libcni's rule for the name of a network, and for a container's id. */
export const networkNameRule = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
// Nearly every interface has such a name.
const usualInterface = /^[\w-]{1,15}$/;
const notAscii = /[\u0080-\uffff]/;
// A NUL would cut the name short in the environment.
const notInInterface = /[\s\u0085\0/:]/;
const notInType = /[/\\\0]/;
const longestProgram = 16 * 1024;
const networkNameWords = "must begin with a letter or digit, followed by letters, digits, '_', '.' and '-' only";

/** Returns the last element of a path. */
export function lastElement(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Says what is wrong with a network's name, or a container's id: libcni has one rule for both. Undefined if it is valid. */
export function networkNameProblem(name: string): string | undefined {
  return networkNameRule.test(name) ? undefined : networkNameWords;
}

/** Says what is wrong with an interface name (libcni's ValidateInterfaceName, the kernel's dev_valid_name); undefined if valid. */
export function interfaceNameProblem(name: string): string | undefined {
  if (usualInterface.test(name)) return undefined;
  const bytes = byteLength(name);
  if (bytes < 1 || bytes > 15) return "must have 1 to 15 bytes";
  if (name === "." || name === "..") return "must not be '.' or '..'";
  return notInInterface.test(name) ? "must not contain '/', ':' or white space" : undefined;
}

/** Says what is wrong with a plugin's type, which must not lead out of CNI_PATH; undefined if it is valid. */
export function typeProblem(type: string): string | undefined {
  if (type === "" || type === "." || type === "..") return "must be the name of an executable";
  return notInType.test(type) ? "must not contain a path separator" : undefined;
}

/** Says what is wrong with the path of a file; undefined if it is valid. */
export function absolutePathProblem(path: string): string | undefined {
  return path.startsWith("/") ? undefined : "must be an absolute path";
}

/** Says what is wrong with a jq program before it runs; undefined if nothing is. jq itself reports mistakes in the program. */
export function jqProgramProblem(program: string): string | undefined {
  if (program.trim() === "") return "must be a jq program";
  return program.length > longestProgram ? `must not have more than ${longestProgram} characters` : undefined;
}

/** Returns how many bytes a text has in UTF-8. Some engines that run the core have no TextEncoder. */
export function byteLength(text: string): number {
  if (!notAscii.test(text)) return text.length;
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    length += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return length;
}
