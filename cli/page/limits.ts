/** The longest text that the page reads, in UTF-16 units: a browser has one thread for all of it. */
export const longestText = 32 * 1024;

/** The most plugins of a list, and the most values around a value. */
export const [mostPlugins, deepest] = [16, 64];

/** The most findings that are shown. */
export const mostFindings = 100;
