// Many allocations on one host, through many restarts of its Nomad client. The exit code is 1 if one is lost, or leaves
// something behind. `--count` and `--restarts` change the numbers, `--json` prints the figures.

import { existsSync } from "node:fs";
import path from "node:path";
import { twoInterfaces } from "../../e2e/support.ts";
import { plainOne } from "../../nomad/networks.ts";
import { given } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { nomadVersion, sentence } from "../../support/versions.ts";
import { follow, type Load } from "./follow.ts";
import { type Course, isWhole, scaleTable } from "./report.ts";

const { json, ...numbers } = given({ count: 200, restarts: 10, json: false });
const wrapped = twoInterfaces();
const slim = path.resolve(import.meta.dirname, "../../../dist/slim/bin");
const loads: Load[] = [
  { title: "one plain bridge", list: plainOne, ...numbers },
  { title: "macvlan and bridge, wrapped", list: wrapped, ...numbers },
];
if (existsSync(slim)) loads.push({ title: "macvlan and bridge, wrapped, slim", list: wrapped, slim, ...numbers });
else say("the slim flavor is not built, so it has no row");

const courses: Course[] = [];
for (const load of loads) courses.push(await follow(load));
for (const { title, left } of courses) for (const name of left) say(`${title}: left: ${name}`);
const heading = sentence({ Nomad: await nomadVersion() });
console.log(json ? JSON.stringify(courses, null, 2) : `${heading}\n\n${scaleTable(courses)}`);
process.exitCode = courses.every(isWhole) ? 0 : 1;
