/** The peer that only executes the plugin, with the C library of "slim, musl". */
export const muslFloor = "floor, musl";

/** The row name of the plugins without anything else. */
export const barePlugins = "bare plugins";
