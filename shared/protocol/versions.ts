/** The specification versions in which DEL gets the result of the attachment's ADD. */
const withResult: readonly string[] = ["0.4.0", "1.0.0", "1.1.0"];

/** The specification versions whose results list interfaces, so that they can be narrowed and spliced. */
const chainVersions: readonly string[] = ["0.3.0", "0.3.1", ...withResult];

/** The versions whose results list no interfaces. A configuration without a version has the first of them. */
const unchainedVersions: readonly string[] = ["0.1.0", "0.2.0"];

/** Every specification version that a wrapper supports. 0.1.0 and 0.2.0 have no chains and pass through. */
export const supportedVersions: readonly string[] = [...unchainedVersions, ...chainVersions];

/** The newest specification version that a wrapper supports. */
export const newestVersion = "1.1.0";

/** Whether a runtime gives DEL the result of the attachment's ADD. */
export function delGetsResult(cniVersion: string | undefined): boolean {
  return cniVersion !== undefined && withResult.includes(cniVersion);
}

/** Whether results of this specification version can be narrowed and spliced. */
export function isChainVersion(cniVersion: string | undefined): boolean {
  return cniVersion !== undefined && chainVersions.includes(cniVersion);
}

/** Whether results of this specification version list no interfaces, so that there is nothing to narrow or splice. */
export function isUnchainedVersion(cniVersion: string | undefined): boolean {
  return !cniVersion || unchainedVersions.includes(cniVersion);
}
