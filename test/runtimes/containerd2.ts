import path from "node:path";
import { built } from "../../build/go-build.ts";

/** Returns the directory of containerd 2, its shim, ctr, and the tests' client for its CRI. Go builds them if they are missing. */
export function containerd2(): Promise<string> {
  return built({
    title: "containerd (about five minutes)",
    module: path.join(import.meta.dirname, "containerd"),
    packages: [
      "github.com/containerd/containerd/v2/cmd/containerd",
      "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
      "github.com/containerd/containerd/v2/cmd/ctr",
      "./cri",
    ],
    ldflags: "-s -w",
  });
}

/** Returns the directory of the tests' client for the CRI. Go builds it if it is missing. */
export function criClient(): Promise<string> {
  const module = path.join(import.meta.dirname, "containerd");
  return built({ title: "the client for the CRI", module, packages: ["./cri"], ldflags: "-s -w" });
}

if (import.meta.main) await containerd2();
