import { profiles } from "../../../plugins/index.ts";
import { run } from "../../run.ts";
import { nodeHost } from "./node-host.ts";

process.exit(run(nodeHost(), profiles));
