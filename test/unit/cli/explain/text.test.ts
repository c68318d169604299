import { describe, expect, test } from "vitest";
import { explain } from "../../../../cli/explain/explain.ts";
import { jsonLines } from "../../../../cli/explain/json-lines.ts";
import { exampleAttachment, exampleSource } from "../../../../cli/explain/model-answers.ts";
import { abridged, explanationText } from "../../../../cli/explain/text.ts";
import { printable } from "../../../../cli/terminal.ts";
import type { Plan } from "../../../../shared/call/plan.ts";
import type { ConfiguredVerb } from "../../../../shared/protocol/request.ts";
import { explained, parsedList } from "./support.ts";

const screen = { hasColors: false, width: 80 };
const macvlan = { type: "macvlan-wrapper", master: "ens18" };
const bridge = { type: "bridge-wrapper", wrapper: { ifName: "eth1" }, bridge: "disc0" };
const list = { cniVersion: "1.1.0", name: "zone", plugins: [macvlan, bridge] };

const textOf = (plugins: readonly object[], verb?: ConfiguredVerb) =>
  explanationText(explained({ ...list, plugins }, verb), screen);

describe("the text", () => {
  test("has a step for each plugin: the changes, the answer, and the runtime's result", () => {
    const text = explanationText(explained(list), screen);
    expect(text.replace(/02(:[0-9a-f]{2}){5}/g, "MAC")).toBe(`ADD in the network zone: container example, interface eth0
- the runtime gave it, + the plugin gets it instead.
The answers to ADD are examples: their MACs, random names and addresses are invented.

1. macvlan-wrapper runs macvlan (makes eth0)
   The variables do not change.
   macvlan gets:
     {
       "cniVersion": "1.1.0",
       "master": "ens18",
       "name": "zone",
   -   "type": "macvlan-wrapper"
   +   "type": "macvlan"
     }
   macvlan returns (example):
     {
       "cniVersion": "1.1.0",
       "interfaces": [
         { "name": "eth0", "mac": "MAC", "sandbox": "/run/netns/example" }
       ]
     }
   The runtime gets the plugin's own answer.

2. bridge-wrapper runs bridge (makes eth1)
   - CNI_IFNAME=eth0
   + CNI_IFNAME=eth1
   bridge gets:
     {
       "bridge": "disc0",
       "cniVersion": "1.1.0",
   -   "name": "zone",
   -   "prevResult": {
   -     "cniVersion": "1.1.0",
   -     "interfaces": [
   -       { "name": "eth0", "mac": "MAC", "sandbox": "/run/netns/example" }
   -     ]
   -   },
   -   "type": "bridge-wrapper",
   -   "wrapper": { "ifName": "eth1" }
   +   "name": "zone-eth1",
   +   "type": "bridge"
     }
   bridge returns (example):
     {
       "cniVersion": "1.1.0",
       "interfaces": [
         { "name": "disc0", "mac": "MAC" },
         { "name": "veth00000001", "mac": "MAC" },
         { "name": "eth1", "mac": "MAC", "sandbox": "/run/netns/example" }
       ]
     }
   The wrapper appends the answer to prevResult: eth1 comes after the other interfaces.
   The runtime gets (- prevResult before, + now):
     ⋮
       "interfaces": [
         { "name": "eth0", "mac": "MAC", "sandbox": "/run/netns/example" },
   +     { "name": "disc0", "mac": "MAC" },
   +     { "name": "veth00000001", "mac": "MAC" },
   +     { "name": "eth1", "mac": "MAC", "sandbox": "/run/netns/example" }
       ]
     }
`);
  });

  test("shows a plain plugin what the runtime gave it", () => {
    expect(textOf([macvlan, { type: "firewall" }])).toContain(
      "2. firewall (acts on eth0, not wrapped)\n   firewall gets, exactly as the runtime gave it:\n     {",
    );
  });

  test("names the server that chooses an address", () => {
    const text = textOf([{ ...macvlan, ipam: { type: "dhcp" } }]);
    expect(text).toContain("macvlan returns (example; DHCP chooses the real address):");
  });

  test("shows an error of the wrapper, and how many plugins the runtime does not call", () => {
    const text = textOf([macvlan, macvlan, bridge]);
    expect(text).toContain(
      "   The wrapper refuses the call, and the plugin does not run.\n   The runtime gets an error:\n     {",
    );
    expect(text).toContain('       "code": 7,\n');
    expect(text).toMatch(/\nADD fails at macvlan-wrapper\. The runtime does not call the other plugins \(1\)\.\n$/);
  });

  test("shows an error of a wrapped plugin", () => {
    const text = textOf([{ ...macvlan, mode: "odd" }]);
    expect(text).toContain("   macvlan fails:\n     {");
    expect(text).not.toContain("The wrapper refuses");
  });

  const eth2 = { ...macvlan, wrapper: { ifName: "eth2" }, ipam: { type: "host-local", subnet: "10.1.0.0/24" } };
  const sbr = { type: "sbr-wrapper", wrapper: { ifName: "eth2" } };

  /** What the text says besides JSON and variables, without the lines above the steps. */
  function sentences(plugins: readonly object[], verb: ConfiguredVerb): string[] {
    const lines = textOf(plugins, verb).split("\n").slice(3);
    return lines.filter((line) => /^(?: {3})?\w/.test(line));
  }
  const own = "   The runtime gets the plugin's own answer.";

  test("a CHECK, whose answer counts, without the MAC of a device that the plugin made", () => {
    expect(sentences([bridge], "CHECK")).toEqual([
      "1. bridge-wrapper runs bridge (makes eth1)",
      "   bridge gets:",
      "   bridge prints nothing if it finds no fault.",
      "   The plugin gets the MAC of its device only if somebody has set it: otherwise it follows the device's ports.",
      own,
    ]);
  });

  test.each(["GC", "STATUS"] as const)("%s changes no variables", (verb) => {
    expect(sentences([bridge], verb)).toEqual([
      "1. bridge-wrapper runs bridge (makes eth1)",
      "   The variables do not change.",
      "   bridge gets:",
      "   bridge prints nothing.",
      own,
    ]);
  });

  test("DEL: what the journal has is undone, and a plugin without a role has none of its own", () => {
    const foo = { type: "foo-wrapper", wrapper: { delegate: "foo" } };
    expect(sentences([bridge, { type: "calico" }, foo], "DEL")).toEqual([
      "1. foo-wrapper runs foo",
      "   The variables do not change.",
      "   foo gets:",
      "   foo prints nothing.",
      "   The wrapper undoes foo of eth0, the last one first.",
      own,
      "2. calico (not wrapped)",
      "   calico gets, exactly as the runtime gave it:",
      "   calico prints nothing.",
      "3. bridge-wrapper runs bridge (makes eth1)",
      "   bridge gets:",
      "   bridge prints nothing.",
      "   The wrapper undoes bridge of eth1, the last one first.",
      own,
    ]);
  });

  test("ADD: how each answer becomes a part of the result, and the wrapper's own warning", () => {
    expect(sentences([macvlan, eth2, sbr], "ADD")).toEqual([
      "1. macvlan-wrapper runs macvlan (makes eth0)",
      "   The variables do not change.",
      "   macvlan gets:",
      "   macvlan returns (example):",
      own,
      "2. macvlan-wrapper runs macvlan (makes eth2)",
      "   macvlan gets:",
      "   macvlan returns (example):",
      "   The wrapper appends the answer to prevResult: eth2 comes after the other interfaces.",
      "   The runtime gets (- prevResult before, + now):",
      "3. sbr-wrapper runs sbr (acts on eth2)",
      "   sbr gets:",
      "   sbr returns (example):",
      "   The wrapper puts the answer back into prevResult as eth2.",
      "   The runtime gets prevResult again, unchanged.",
    ]);
    expect(sentences([{ ...eth2, type: "macvlan", wrapper: undefined }, bridge], "ADD").slice(3)).toEqual([
      "2. bridge-wrapper runs bridge (makes eth1)",
      "   bridge gets:",
      "   bridge returns (example):",
      "   The wrapper appends the answer to prevResult: eth1 comes after the other interfaces.",
      '   Warning: interface eth0 was made by an unwrapped plugin: its CHECK will fail because of the other interfaces; wrap every plugin that makes an interface ("type": "macvlan-wrapper")',
      "   The runtime gets (- prevResult before, + now):",
    ]);
    expect(sentences([bridge], "ADD").slice(3)).toEqual([
      "   The runtime gets the plugin's answer. It begins the result with eth1.",
    ]);
  });

  test("CHECK after sbr: each interface loses its moved routes", () => {
    const moved =
      "   The routes that a plugin such as sbr or vrf moved are where it moved them, so CHECK gets none of them.";
    expect(sentences([macvlan, eth2, sbr], "CHECK").filter((line) => line === moved)).toHaveLength(2);
  });

  test("a wrapper that refuses the answer runs DEL", () => {
    const twice = { ...bridge, ipam: eth2.ipam };
    expect(sentences([eth2, twice, macvlan], "ADD").slice(4)).toEqual([
      "2. bridge-wrapper runs bridge (makes eth1)",
      "   bridge gets:",
      "   bridge returns (example):",
      "   bridge gets:",
      "   bridge prints nothing.",
      "   The wrapper refuses the answer. It runs the plugin's DEL, so that nothing is left.",
      "   The runtime gets an error:",
      "ADD fails at bridge-wrapper. The runtime does not call the other plugins (1).",
    ]);
  });

  const [sbrOfEth1, bridgeOfEth2] = [
    { type: "sbr", ifName: "eth1" },
    { type: "bridge", ifName: "eth2" },
  ];
  const before = "Before that, the wrapper undoes the journals of attachments that are no longer valid.";

  test.each<[object, string[]]>([
    [
      { do: "checkTwice", call: {}, leftOut: ["routers' addresses"], network: "zone-eth1" },
      [
        "The addresses that came from routers are no plugin's, and the kernel renews them, so CHECK gets none of them.",
        own.trim(),
        "If it fails, it runs again in the network zone-eth1, and that answer counts.",
      ],
    ],
    [
      { do: "undo", entries: [sbrOfEth1, bridgeOfEth2] },
      ["The wrapper undoes sbr of eth1, bridge of eth2, the last one first."],
    ],
    [{ do: "undo", entries: [] }, ["The wrapper undoes nothing, the last one first."]],
    [{ do: "remove", removals: [] }, ["There is nothing to run: nothing says that the plugin made anything."]],
    [{ do: "remove", removals: [{}] }, ["No journal has the plugin, so DEL follows the runtime's result.", own.trim()]],
    [{ do: "collect" }, [before, own.trim()]],
  ])("the plan %j in words", (plan, words) => {
    const explanation = explained({ ...list, plugins: [macvlan] }, "STATUS");
    const steps = explanation.steps.map((step) => ({ ...step, runs: [], plan: plan as Plan }));
    const lines = explanationText({ ...explanation, steps }, screen)
      .trim()
      .split("\n");
    expect(lines.slice(5)).toEqual(words.map((one) => `   ${one}`));
  });

  test("says that a jq program rewrites the configuration, which it shows", () => {
    const parsed = parsedList({ ...list, plugins: [{ ...macvlan, wrapper: { jq: ".mtu = 1400" } }] });
    const jq = (_: string, input: string) => ({ output: JSON.stringify({ ...JSON.parse(input), mtu: 1400 }) });
    const source = { ...exampleSource(exampleAttachment(parsed)), jq };
    const text = explanationText(explain(parsed, "CHECK", source), screen);
    expect(text).toContain("The wrapper.jq program has rewritten the configuration.");
    expect(text).toContain('   +   "mtu": 1400,\n');
  });

  test("says why a runtime does not send the verb", () => {
    const text = explanationText(explained({ ...list, disableCheck: true }, "CHECK"), screen);
    expect(text).toBe(
      'CHECK in the network zone: container example, interface eth0\n\nA runtime does not send it: the list says "disableCheck": true.\n',
    );
  });

  test("has colors only if the terminal has them", () => {
    const colored = (plugins: readonly object[]) =>
      printable(explanationText(explained({ ...list, plugins }), { ...screen, hasColors: true }));
    const text = colored([macvlan, bridge]);
    expect(text).toContain("\u001b[1mADD in the network zone: container example, interface eth0\u001b[22m\n");
    expect(text).toContain("\u001b[1m1. macvlan-wrapper runs macvlan (makes eth0)\u001b[22m\n");
    expect(text).toContain('\u001b[32m+   "type": "macvlan"\u001b[39m');
    expect(text).toContain('\u001b[31m-   "type": "macvlan-wrapper"\u001b[39m');
    expect(text).toContain('\u001b[2m    "name": "zone",\u001b[22m');
    expect(colored([macvlan, macvlan])).toContain("\u001b[31mADD fails at macvlan-wrapper.\u001b[39m\n");
    const warned = colored([{ ...eth2, type: "macvlan", wrapper: undefined }, bridge]);
    expect(warned).toContain("   \u001b[33mWarning: interface eth0 was made by an unwrapped plugin");
  });
});

describe("differences", () => {
  // Each entry of these lists may change alone, so it has a line, even if it is longer than the others may be.
  test.each(["interfaces", "ips", "routes", "portMappings", "cni.dev/attachments", "cni.dev/valid-attachments"])(
    "an entry of %s is one line",
    (key) => {
      const fits = { a: "x".repeat(109) };
      expect(jsonLines({ [key]: [{ b: 1 }, fits, { a: "x".repeat(110) }] }, 80)).toEqual([
        "{",
        `  "${key}": [`,
        '    { "b": 1 },',
        `    { "a": "${"x".repeat(109)}" },`,
        "    {",
        `      "a": "${"x".repeat(110)}"`,
        "    }",
        "  ]",
        "}",
      ]);
    },
  );

  test("what the runtime adds is open, what else fits into the width is one line, and nothing is too little to open", () => {
    const value = { a: { b: 1, c: 2 }, prevResult: { ips: [] }, runtimeConfig: {}, d: null, e: [], f: undefined };
    expect(jsonLines(value, 26)).toEqual([
      "{",
      '  "a": { "b": 1, "c": 2 },',
      '  "prevResult": {',
      '    "ips": []',
      "  },",
      '  "runtimeConfig": {},',
      '  "d": null,',
      '  "e": [],',
      '  "f": null',
      "}",
    ]);
    expect(jsonLines({ runtimeConfig: { mac: "x" } }, 80)).toEqual([
      "{",
      '  "runtimeConfig": {',
      '    "mac": "x"',
      "  }",
      "}",
    ]);
    const line = '  "a": { "b": 1, "c": 2 }';
    expect(jsonLines({ a: { b: 1, c: 2 } }, line.length)).toEqual(["{", line, "}"]);
    expect(jsonLines({ a: { b: 1, c: 2 } }, line.length - 1)).toHaveLength(6);
  });

  test.each([
    ["+    +", "+    +"],
    ["+     +", "+  ⋮  +"],
    ["       +       -", "⋮  +  ⋮  -"],
    ["-       ", "-  ⋮"],
    ["-   +", "-   +"],
  ])("what is far from all changes is left out: %j", (before, after) => {
    const lines = before.split("").map((sign) => ({ sign: sign as " ", text: "" }));
    const shown = abridged(lines).map(({ sign, text }) => text || sign);
    expect(shown.join("")).toBe(after);
  });
});
