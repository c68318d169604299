/** The row name of the plugins without anything else. */
export const barePlugins = "bare plugins";
