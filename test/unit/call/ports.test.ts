import { describe, expect, test } from "vitest";
import { targetOf } from "../../../shared/call/call.ts";
import { delegateCall, withOwnPorts } from "../../../shared/call/delegate-call.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { frozen } from "../support/frozen.ts";
import { requestOf } from "../support/requests.ts";

const mapping = (containerPort: number) => ({ hostPort: containerPort + 20_000, containerPort, protocol: "tcp" });
const [web, tls, high] = [mapping(80), mapping(443), mapping(8500)];

function left(ports: object, portMappings: unknown): unknown {
  const { runtimeConfig } = withOwnPorts(frozen({ runtimeConfig: { mac: "x", portMappings } }), ports);
  expect(runtimeConfig).toHaveProperty("mac", "x");
  return (runtimeConfig as JsonObject).portMappings;
}

describe("the port mappings that a delegate gets", () => {
  test.each([
    [{ only: [443] }, [tls]],
    [{ only: ["443", "8000-8999"] }, [tls, high]],
    [{ only: ["80-443"] }, [web, tls]],
    [{ only: ["81-442"] }, []],
    [{ only: [] }, []],
    [{ except: [443] }, [web, high]],
    [{ except: ["8500-8500"] }, [web, tls]],
    [{ except: ["1-65535"] }, []],
    [{ except: [] }, [web, tls, high]],
    [{ except: ["http"] }, [web, tls, high]],
    [{}, [web, tls, high]],
  ])("%j", (ports, expected) => {
    expect(left(ports, [web, tls, high])).toStrictEqual(expected);
  });

  test("are in no list of what is no port", () => {
    const lowest = [mapping(0), mapping(1), mapping(2)];
    expect(left({ only: ["http"] }, lowest)).toStrictEqual([]);
  });

  test.each([[{}], [7], [null], [{ containerPort: "443" }]])("need a port: %j is in no list", (entry) => {
    expect(left({ only: ["1-65535"] }, [entry])).toStrictEqual([]);
    expect(left({ except: ["1-65535"] }, [entry])).toStrictEqual([entry]);
  });

  test.each([
    [{}],
    [{ runtimeConfig: null }],
    [{ runtimeConfig: { mac: "x" } }],
    [{ runtimeConfig: { portMappings: 7 } }],
  ])("are not touched in %j", (configuration) => {
    expect(withOwnPorts(frozen(configuration), { only: [443] })).toBe(configuration);
  });
});

test("DEL gets all, because the list may have changed since ADD", () => {
  const request = requestOf("DEL", {
    wrapper: { ports: { only: [443] } },
    runtimeConfig: { portMappings: [web, tls] },
  });
  const { configuration } = delegateCall({ request, target: targetOf(request, "portmap-wrapper", {}) });
  expect(configuration?.runtimeConfig).toStrictEqual({ portMappings: [web, tls] });
});
