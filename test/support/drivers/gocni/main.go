// Command gocni attaches a container to a network the way Nomad does: through go-cni, with the plugin directory, the
// interface prefix, the bytes of the network configuration list, port mappings and labels (which become CNI_ARGS).
//
// The verb is the only argument, the request is JSON on stdin, the answer is JSON on stdout. A failure is its text on
// stderr and exit code 1. `gocni lab` makes a lab, and answers many requests.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	gocni "github.com/containerd/go-cni"
	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/types"
)

type request struct {
	ID         string          `json:"id"`
	NetNS      string          `json:"netns"`
	PluginPath string          `json:"pluginPath"`
	Prefix     string          `json:"prefix"`
	Conflist   json.RawMessage `json:"conflist"`
	// File is the path of a configuration file. It takes the place of Conflist.
	File             string               `json:"file"`
	Ports            []gocni.PortMapping  `json:"ports"`
	Labels           map[string]string    `json:"labels"`
	Plugin           string               `json:"plugin"`
	ValidAttachments []types.GCAttachment `json:"validAttachments"`
	// Deadline is a file. The runtime's deadline for the whole verb comes when it exists.
	Deadline string `json:"deadline"`
	// Pods are those that CRI-O knows.
	Pods []pod `json:"pods"`
	// stderr gets what the plugins write to theirs.
	stderr *os.File
}

type verb func(context.Context, *request) (any, error)

var verbs = map[string]verb{
	"load":     loadOnly,
	"setup":    setup,
	"check":    check,
	"remove":   remove,
	"status":   status,
	"gc":       gc,
	"version":  version,
	"validate": validate,
	"sysctls":  sysctls,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) == 3 && os.Args[1] == "lab" {
		return serveLab(os.Args[2])
	}
	if len(os.Args) != 2 || verbs[os.Args[1]] == nil {
		return fmt.Errorf("usage: gocni VERB <request.json, or gocni lab OPTIONS")
	}
	return answer(os.Args[1], os.Stdin, os.Stdout, os.Stderr)
}

func answer(verb string, input io.Reader, output io.Writer, stderr *os.File) error {
	req := &request{Prefix: "eth", stderr: stderr}
	if err := json.NewDecoder(input).Decode(req); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if req.Deadline != "" {
		go cancelAt(req.Deadline, ctx, cancel)
	}
	value, err := verbs[verb](ctx, req)
	if err != nil || value == nil {
		return err
	}
	return json.NewEncoder(output).Encode(value)
}

// load makes a client with the request's network. Like Nomad, it loads the bytes, not the file, at the first call.
func load(req *request) (gocni.CNI, error) {
	client, err := newClient(req)
	if err != nil {
		return nil, err
	}
	bytes, err := listBytes(req)
	if err != nil {
		return nil, err
	}
	return client, client.Load(gocni.WithConfListBytes(bytes))
}

func cancelAt(file string, ctx context.Context, cancel context.CancelFunc) {
	for ctx.Err() == nil {
		if _, err := os.Stat(file); err == nil {
			cancel()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

var ownStderr sync.Mutex

// newClient makes a client. go-cni passes the plugins' stderr to this program's, as it was when the client was made.
func newClient(req *request) (gocni.CNI, error) {
	ownStderr.Lock()
	defer ownStderr.Unlock()
	defer func(own *os.File) { os.Stderr = own }(os.Stderr)
	os.Stderr = req.stderr
	return gocni.New(
		gocni.WithPluginDir(filepath.SplitList(req.PluginPath)),
		gocni.WithInterfacePrefix(req.Prefix),
	)
}

// listBytes reads a file as Nomad does: anything but a .conflist is the configuration of one plugin.
func listBytes(req *request) ([]byte, error) {
	if req.File == "" {
		return req.Conflist, nil
	}
	if strings.HasSuffix(req.File, ".conflist") {
		list, err := libcni.ConfListFromFile(req.File)
		if err != nil {
			return nil, err
		}
		return list.Bytes, nil
	}
	plugin, err := libcni.ConfFromFile(req.File)
	if err != nil {
		return nil, err
	}
	list, err := libcni.ConfListFromConf(plugin)
	if err != nil {
		return nil, err
	}
	return list.Bytes, nil
}

func loadOnly(_ context.Context, req *request) (any, error) {
	_, err := load(req)
	return nil, err
}

// options are Nomad's options on Setup and Check. They are the same without ports.
func options(req *request) []gocni.NamespaceOpts {
	return []gocni.NamespaceOpts{gocni.WithCapabilityPortMap(req.Ports), gocni.WithLabels(req.Labels)}
}

func setup(ctx context.Context, req *request) (any, error) {
	client, err := load(req)
	if err != nil {
		return nil, err
	}
	result, err := client.Setup(ctx, req.ID, req.NetNS, options(req)...)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"interfaces": result.Interfaces,
		"dns":        result.DNS,
		"routes":     result.Routes,
		"raw":        result.Raw(),
	}, nil
}

func check(ctx context.Context, req *request) (any, error) {
	client, err := load(req)
	if err != nil {
		return nil, err
	}
	return nil, client.Check(ctx, req.ID, req.NetNS, options(req)...)
}

// remove does as Nomad: it asks for the status first, fails if that fails, and passes no labels.
func remove(ctx context.Context, req *request) (any, error) {
	client, err := load(req)
	if err != nil {
		return nil, err
	}
	if err := client.Status(); err != nil {
		return nil, err
	}
	return nil, client.Remove(ctx, req.ID, req.NetNS, gocni.WithCapabilityPortMap(req.Ports))
}

func status(_ context.Context, req *request) (any, error) {
	client, err := load(req)
	if err != nil {
		return nil, err
	}
	return nil, client.Status()
}

// gc calls libcni, because go-cni does not have this verb.
func gc(ctx context.Context, req *request) (any, error) {
	list, err := libcni.ConfListFromBytes(req.Conflist)
	if err != nil {
		return nil, err
	}
	return nil, library(req).GCNetworkList(ctx, list, &libcni.GCArgs{ValidAttachments: req.ValidAttachments})
}

// version is libcni's probe of one plugin.
func version(ctx context.Context, req *request) (any, error) {
	info, err := library(req).GetVersionInfo(ctx, req.Plugin)
	if err != nil {
		return nil, err
	}
	return map[string]any{"supportedVersions": info.SupportedVersions()}, nil
}

// validate is libcni's probe of a whole list: every plugin is there and speaks the list's version.
func validate(ctx context.Context, req *request) (any, error) {
	list, err := libcni.ConfListFromBytes(req.Conflist)
	if err != nil {
		return nil, err
	}
	capabilities, err := library(req).ValidateNetworkList(ctx, list)
	if err != nil {
		return nil, err
	}
	return map[string]any{"capabilities": capabilities}, nil
}

func library(req *request) *libcni.CNIConfig {
	run := &invoke.DefaultExec{RawExec: &invoke.RawExec{Stderr: req.stderr}}
	return libcni.NewCNIConfig(filepath.SplitList(req.PluginPath), run)
}
