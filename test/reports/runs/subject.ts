/** A program of another project that the tests run with the wrappers. */
export interface Subject {
  readonly name: string;
  /** The folder of its tests, which is also their vitest project. */
  readonly folder: "nomad" | "runtimes";
  /** Its test file; all of them without one. */
  readonly file?: string;
  /** The beginning of the names of its cases. */
  readonly suite?: string;
  /** Its version as it says itself; undefined if it is not here. */
  version(): Promise<string | undefined>;
}
