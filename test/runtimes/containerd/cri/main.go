// Command cri calls containerd as a kubelet does, over its socket: `cri VERB [ID]` with the answer as JSON on stdout.
// `run` reads the configuration of a pod sandbox from stdin.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const socket = "unix:///run/containerd/containerd.sock"

type verb func(ctx context.Context, client cri.RuntimeServiceClient, id string) (any, error)

var verbs = map[string]verb{
	"status": func(ctx context.Context, client cri.RuntimeServiceClient, _ string) (any, error) {
		return client.Status(ctx, &cri.StatusRequest{})
	},
	"run": func(ctx context.Context, client cri.RuntimeServiceClient, _ string) (any, error) {
		config := cri.PodSandboxConfig{}
		if err := json.NewDecoder(os.Stdin).Decode(&config); err != nil {
			return nil, err
		}
		return client.RunPodSandbox(ctx, &cri.RunPodSandboxRequest{Config: &config})
	},
	"inspect": func(ctx context.Context, client cri.RuntimeServiceClient, id string) (any, error) {
		return client.PodSandboxStatus(ctx, &cri.PodSandboxStatusRequest{PodSandboxId: id, Verbose: true})
	},
	"list": func(ctx context.Context, client cri.RuntimeServiceClient, _ string) (any, error) {
		return client.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{})
	},
	"stop": func(ctx context.Context, client cri.RuntimeServiceClient, id string) (any, error) {
		return client.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: id})
	},
	"remove": func(ctx context.Context, client cri.RuntimeServiceClient, id string) (any, error) {
		return client.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: id})
	},
}

func main() {
	if err := run(append(os.Args[1:], "", "")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	call, known := verbs[args[0]]
	if !known {
		return fmt.Errorf("unknown verb %q", args[0])
	}
	connection, err := grpc.NewClient(socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	answer, err := call(ctx, cri.NewRuntimeServiceClient(connection), args[1])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}
