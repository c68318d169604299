import type { Architecture } from "../release/artifacts.ts";

/** What an image is made of. */
export interface ImageSource {
  readonly architecture: Architecture;
  /** The directory of an unpacked archive of the slim flavor. */
  readonly archive: string;
  readonly version: string;
  readonly commit: string;
  /** The time of all files, in seconds. */
  readonly epoch: number;
}
