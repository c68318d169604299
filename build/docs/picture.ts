// Draws docs/chain.svg: `npm run docs:picture`.
import { writeFileSync } from "node:fs";
import { chainPicture } from "./chain-picture.ts";

writeFileSync(new URL("../../docs/chain.svg", import.meta.url), chainPicture());
