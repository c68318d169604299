import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Finding } from "../../../cli/lint/lint.ts";
import { type Answers, answersFor } from "../../../cli/page/answers.ts";
import { showDrawing } from "../../../cli/page/drawing-view.ts";
import type { Editor } from "../../../cli/page/editor.ts";
import { byId } from "../../../cli/page/elements.ts";
import { showFindings } from "../../../cli/page/findings-view.ts";
import { prepareSteps, showSteps } from "../../../cli/page/steps-view.ts";
import { showVerdict } from "../../../cli/page/verdict-view.ts";
import { codes, showWrapping } from "../../../cli/page/wrapping-view.ts";
import { type FakeElement, fakeDocument } from "./fake-document.ts";

let at: (id: string) => FakeElement;
beforeEach(() => {
  at = fakeDocument();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const ipam = (subnet: string) => ({ type: "host-local", subnet });
const macvlan = { type: "macvlan", master: "ens18", ipam: ipam("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", isGateway: true, ipam: ipam("172.26.64.0/20") };
const second = { ...bridge, type: "bridge-wrapper", wrapper: { ifName: "eth1" } };
const portmap = { type: "portmap", capabilities: { portMappings: true } };

const listText = (plugins: readonly object[], more: object = {}) =>
  JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...more, plugins }, null, 1);
const answersTo = (plugins: readonly object[], more?: object) => answersFor(listText(plugins, more));
const unread = answersFor("{");

/** The lines of an element. Each begins with its class. */
const marked = (id: string) => at(id).inside.replaceAll(/<span(?: class="(\w+)")?>([^<]*)\n<\/span>/g, "$1|$2\n");

describe("the verdict", () => {
  const events = {
    start: "a container starts (ADD)",
    second: "another container starts",
    restart: "the runtime restarts, and asks whether the container's network is whole (CHECK)",
    joined: "the same, after the other container started",
    retry: "ADD again, after the last plugin failed once",
    twice: "the list attached to the container once more, as net1",
    reboot: "the container starts after a reboot of the host",
    stop: "the container stops (DEL)",
    gone: "DEL, after the container's namespace is gone",
  };

  /** A row of the table. */
  function row(event: keyof typeof events, kind: string, mark: string, words: string, ...messages: string[]): string {
    const name = `<th scope="row"><strong>${event}</strong>: ${events[event]}</th>`;
    const outcome = `<span class="${kind}"><span aria-hidden="true">${mark} </span>${words}</span>`;
    return `<tr>${name}<td>${outcome}${messages.map((one) => `<div class="message">${one}</div>`).join("")}</td></tr>`;
  }
  type Row = (event: keyof typeof events, ...messages: string[]) => string;
  const passes: Row = (event, ...messages) => row(event, "good", "✓", "passes", ...messages);
  const failsAtBridge: Row = (event, ...messages) => row(event, "bad", "✗", "fails at bridge", ...messages);
  const script =
    "With a script that merges the results of ADD, it fails at macvlan: Failed to match addr 172.26.64.2/20 on interface eth0";
  const once = "That is as it should be: a list that names its interfaces can be attached to a container once.";
  const duplicate =
    "failed to allocate for range 0: 172.26.64.8 has been allocated to example6, duplicate allocation is not allowed";
  const taken = (ifName: string) => `container veth name ("${ifName}") peer provided ("...") already exists`;

  test.each<[string, Answers, string, string[], string?]>([
    [
      "a plain list",
      answersTo([macvlan, bridge]),
      '<p class="bad"><span aria-hidden="true">✗ </span>It fails at bridge. The wrapped list below passes.</p>',
      [failsAtBridge("start", taken("eth0")), row("restart", "aside", "–", "never reached", script), passes("stop")],
    ],
    [
      "a wrapped list, which the runtime does not check",
      answersTo([{ ...macvlan, type: "macvlan-wrapper" }, second], { disableCheck: true }),
      '<p class="good"><span aria-hidden="true">✓ </span>All of it passes.</p>',
      [
        ...(["start", "second", "retry"] as const).map((event) => passes(event)),
        row("twice", "aside", "–", "not counted: fails at bridge-wrapper", taken("eth1"), once),
        ...(["reboot", "stop", "gone"] as const).map((event) => passes(event)),
      ],
      'A runtime does not send CHECK: the list says "disableCheck": true.',
    ],
    [
      "a list that fails rarely, and leaves rules",
      answersTo([{ ...bridge, ipMasq: true }, portmap]),
      '<p class="rare"><span aria-hidden="true">! </span>Starts, restarts and stops pass. bridge fails when ADD runs again after the last plugin failed once, and when the container starts after a reboot of the host. The wrapped list below passes.</p>',
      [
        ...(["start", "second", "restart", "joined"] as const).map((event) => passes(event)),
        failsAtBridge("retry", taken("eth0")),
        passes("twice"),
        failsAtBridge("reboot", duplicate),
        passes("stop"),
        passes("gone", "leaves the rules that masquerade 172.26.64.7"),
      ],
    ],
    [
      "an unknown plugin, which the runtime would not check either",
      answersTo([{ type: "calico" }], { disableCheck: true }),
      '<p class="open"><span aria-hidden="true">? </span>Not known: calico is unknown. On a host, cni-wrappers try shows it.</p>',
      [row("start", "open", "?", "not known", "calico is unknown")],
    ],
    [
      "a list that no runtime loads",
      answersTo([bridge], { name: undefined }),
      '<p class="bad"><span aria-hidden="true">✗ </span>It fails.</p>',
      [row("start", "bad", "✗", "fails", "error parsing configuration list: no name")],
    ],
    [
      "no list",
      unread,
      '<p class="open"><span aria-hidden="true">? </span>Line 1, column 2: a closing brace is missing.</p>',
      [],
    ],
  ])("%s", (_, answers, summary, rows, notSent = "") => {
    showVerdict(answers);
    expect(`${at("summary")}`).toBe(summary);
    expect(at("events").inside).toBe(rows.join(""));
    expect(at("events-table").hidden).toBe(rows.length === 0);
    expect(at("not-sent").inside).toBe(notSent);
  });
});

describe("what the wrappers change", () => {
  const item = (text: string) => `<li>${text}</li>`;
  /** The words of the part. It says what to install if the list has wrappers. */
  const part = () => ({
    isShown: !at("wrapping").hidden,
    decisions: at("decisions").inside,
    copies: at("copy-list").inside,
    installs: !at("installation").hidden,
    links: at("links").inside,
    plugins: at("plugins").inside,
    mode: at("mode").inside,
  });

  test("a plain list: the lines that change, and what a host then needs", () => {
    showWrapping(answersTo([macvlan, bridge]));
    expect(part()).toEqual({
      isShown: true,
      decisions: item("macvlan-wrapper makes eth0.") + item("bridge-wrapper makes eth1."),
      copies: "Copy the wrapped list",
      installs: true,
      links: "<code>bridge-wrapper</code> and <code>macvlan-wrapper</code>",
      plugins: "<code>bridge</code>, <code>host-local</code> and <code>macvlan</code>",
      mode: 'network { mode = "cni/zone" }',
    });
    expect([at("take").hidden, at("diff").hidden]).toEqual([false, false]);
    expect(marked("diff")).toBe(`hunk|@@ -3,7 +3,7 @@
|  "name": "zone",
|  "plugins": [
|   {
removed|-   "type": "macvlan",
added|+   "type": "macvlan-wrapper",
|    "master": "ens18",
|    "ipam": {
|     "type": "host-local",
hunk|@@ -11,7 +11,8 @@
|    }
|   },
|   {
removed|-   "type": "bridge",
added|+   "type": "bridge-wrapper",
added|+   "wrapper": { "ifName": "eth1" },
|    "bridge": "disc0",
|    "isGateway": true,
|    "ipam": {
`);
  });

  test("a list that has its wrappers has no change to take, and the lines of the one before are gone", () => {
    showWrapping(answersTo([macvlan, bridge]));
    showWrapping(answersTo([{ ...macvlan, type: "macvlan-wrapper" }, second, portmap]));
    expect(part()).toEqual({
      isShown: true,
      decisions: item("Every interface plugin has its wrapper."),
      copies: "Copy the list",
      installs: true,
      links: "<code>bridge-wrapper</code> and <code>macvlan-wrapper</code>",
      plugins: "<code>bridge</code>, <code>host-local</code>, <code>macvlan</code> and <code>portmap</code>",
      mode: 'network { mode = "cni/zone" }',
    });
    expect([at("take").hidden, at("diff").hidden, marked("diff")]).toEqual([true, true, ""]);
  });

  test("a list without a wrapper needs no installation", () => {
    showWrapping(answersTo([{ type: "calico" }], { name: undefined }));
    expect(part()).toEqual({
      isShown: true,
      decisions: item("No plugin of the list is known to make an interface."),
      copies: "Copy the list",
      installs: false,
      links: "",
      plugins: "<code>calico</code>",
      mode: 'network { mode = "cni/..." }',
    });
  });

  test("no list", () => {
    showWrapping(unread);
    expect([at("wrapping").hidden, at("take").hidden, at("diff").hidden]).toEqual([true, true, true]);
    expect(at("decisions").inside).toBe("");
  });

  test("one wrapper is enough to be installed", () => {
    showWrapping(answersTo([second]));
    expect(part()).toMatchObject({ installs: true, links: "<code>bridge-wrapper</code>" });
  });

  test("one name is alone", () => {
    expect(codes(["ptp", "", "ptp"]).join("")).toBe("<code>ptp</code>");
  });
});

describe("the findings", () => {
  function editor() {
    const marks: unknown[] = [];
    const went: unknown[] = [];
    const fake = { text: () => "", replace: () => {}, mark: (one: object) => marks.push(one), goTo: go } as Editor;
    function go(...place: unknown[]) {
      went.push(place);
    }
    return { fake, marks, went };
  }

  test("each has its place, its hint and its reason, and the editor marks it", () => {
    const text = listText([macvlan, bridge]);
    const { fake, marks, went } = editor();
    showFindings(answersFor(text), fake);
    const finding = (line: number, words: string, hint: string) =>
      `<li><button type="button" class="place">Line ${line}, column 12</button><span class="bad"> error: </span>${words}.` +
      `<div class="message">${hint}.</div><details><summary>Why: unwrapped-creator</summary><div class="rule"></div></details></li>`;
    const hints = [
      'Change the type to "macvlan-wrapper"',
      'Change the type to "bridge-wrapper", and set wrapper.ifName',
    ];
    const words = ["macvlan", "bridge"].map((type) => `${type} creates an interface and is not wrapped`);
    const shown = [6, 14].map((line, index) => finding(line, `${words[index]}`, `${hints[index]}`));
    expect(at("findings").inside).toBe(shown.join(""));
    const places = ['"macvlan"', '"bridge"'].map((type) => [text.indexOf(type), text.indexOf(type) + type.length]);
    const marksOf = places.map(([from, to], index) => {
      return { from, to, severity: "error", message: `${words[index]}. ${hints[index]}.` };
    });
    expect(marks).toEqual([marksOf]);
    at("findings").all("button")[1]?.happen("click");
    expect(went).toEqual([places[1]]);
    expect(at("no-findings").hidden).toBe(true);
  });

  test.each([
    [
      "unwrapped-creator",
      "Wrap </span><strong>every</strong><span> interface plugin of the list, the first one too.</span></p>",
    ],
    ["wrong-ending", "<p>• <span>One plugin in a </span><code>.conflist</code><span>: libcni finds no plugins ("],
  ])("the reason has the words of the rule's page: %s", (code, words) => {
    const [finding] = answersTo([macvlan, bridge]).findings as [Finding];
    showFindings({ outcomes: [], findings: [{ ...finding, code }] }, editor().fake);
    const [why] = at("findings").all("details");
    why?.happen("toggle");
    expect(why?.inside).toContain(words);
    expect(why?.inside).toContain(`<div class="rule"><p><span>${code} (error): `);
  });

  test("a warning is no error", () => {
    showFindings(answersTo([bridge], { disableCheck: true }), editor().fake);
    expect(at("findings").inside).toContain('<span class="warn"> warning: </span>');
  });

  test("none, and none where there is no list", () => {
    showFindings(answersTo([{ type: "calico" }]), editor().fake);
    expect([at("findings").inside, at("no-findings").hidden]).toEqual(["", false]);
    showFindings(answersFor(""), editor().fake);
    expect([at("findings").inside, at("no-findings").hidden]).toEqual(["", true]);
  });

  test("only a hundred are shown", () => {
    const [finding] = answersTo([macvlan, bridge]).findings;
    const many = (count: number) => ({ outcomes: [], findings: Array(count).fill(finding) });
    const { fake, marks } = editor();
    showFindings(many(100), fake);
    expect([at("findings").all("li").length, at("findings").all("button").length]).toEqual([100, 100]);
    showFindings(many(103), fake);
    expect([at("findings").all("li").length, at("findings").all("button").length]).toEqual([101, 100]);
    expect(at("findings").inside).toMatch(/<li>And 3 more\.<\/li>$/);
    expect(marks.map((shown) => (shown as unknown[]).length)).toEqual([100, 100]);
  });
});

describe("the steps", () => {
  test("there are none before somebody asks, and each line has its kind", () => {
    const { list } = answersTo([{ type: "dummy-wrapper" }]);
    const changed = vi.fn();
    prepareSteps(changed);
    expect(at("verb").inside).toBe(
      "<option>ADD</option><option>CHECK</option><option>DEL</option><option>GC</option><option>STATUS</option>",
    );
    at("verb").value = "CHECK";
    showSteps(list);
    expect([at("steps").hidden, at("steps-text").inside]).toEqual([false, ""]);
    at("steps").open = true;
    showSteps(list);
    expect(
      marked("steps-text").replaceAll(/02(:[0-9a-f]{2}){5}/g, "MAC"),
    ).toBe(`title|CHECK in the network zone: container example, interface eth0
|- the runtime gave it, + the plugin gets it instead.
|The answers to ADD are examples: their MACs, random names and addresses are invented.
|
title|1. dummy-wrapper runs dummy (makes eth0)
|   The variables do not change.
|   dummy gets:
|     {
|       "cniVersion": "1.0.0",
|       "name": "zone",
|       "prevResult": {
|         "cniVersion": "1.0.0",
|         "interfaces": [
|           { "name": "eth0", "mac": "MAC", "sandbox": "/run/netns/example" }
|         ]
|       },
removed|   -   "type": "dummy-wrapper"
added|   +   "type": "dummy"
|     }
|   dummy prints nothing if it finds no fault.
|   The runtime gets the plugin's own answer.
|
`);
    at("verb").happen("change");
    at("steps").happen("toggle");
    expect(changed).toHaveBeenCalledTimes(2);
  });

  test("no list", () => {
    at("steps").open = true;
    showSteps(undefined);
    expect([at("steps").hidden, at("steps-text").inside]).toEqual([true, ""]);
  });
});

describe("the drawing", () => {
  test("is parsed as XML, which takes no control characters", () => {
    showDrawing(answersTo([{ ...macvlan, master: "ens\u000118" }]));
    expect(at("drawing-part").hidden).toBe(false);
    expect(at("drawing").inside).toMatch(/^image\/svg\+xml: <svg .*<\/svg>$/s);
    expect(at("drawing").inside).toContain(">ens\ufffd18</text>");
  });

  test.each<[string, Answers]>([
    ["no list", unread],
    ["a list with jq", answersTo([{ ...second, wrapper: { jq: "." } }])],
    ["a list that no runtime loads", answersTo([bridge], { name: undefined })],
  ])("%s has none, and the one before is gone", (_, answers) => {
    showDrawing(answersTo([bridge]));
    showDrawing(answers);
    expect([at("drawing-part").hidden, at("drawing").inside]).toEqual([true, ""]);
  });
});

test("an id that the page does not have is an error", () => {
  expect(() => byId("nowhere")).toThrow("the page has no #nowhere");
});
