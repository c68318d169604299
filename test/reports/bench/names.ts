/** The name under which the plugins by themselves are timed. */
export const barePlugins = "bare plugins";
