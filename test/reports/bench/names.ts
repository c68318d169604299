/** The peer that only executes the plugin, with the C library of "slim, musl". */
export const muslFloor = "floor, musl";

/** The row name of the plugins without anything else. */
export const barePlugins = "bare plugins";

const ofBase = ", base";

/** The name of a flavor in the build to compare with. */
export function baseName(flavor: string): string {
  return `${flavor}${ofBase}`;
}

/** Whether a name is of the build to compare with. */
export function isOfBase(name: string): boolean {
  return name.endsWith(ofBase);
}
