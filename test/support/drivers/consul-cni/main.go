// Command consul-cni replaces Consul's plugin of that name, the last one in a transparent proxy's network list. The real one
// is part of consul-k8s and cannot be built from a public module. This one treats Nomad's calls in the same way: HashiCorp's
// own library makes the rules, and DEL and CHECK do nothing. It cannot ask Kubernetes.
package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"
	"github.com/hashicorp/consul/sdk/iptables"
)

// Nomad's argument. Its name is the name in CNI_ARGS.
type arguments struct {
	types.CommonArgs
	CONSUL_IPTABLES_CONFIG types.UnmarshallableString
}

func main() {
	nothing := func(*skel.CmdArgs) error { return nil }
	funcs := skel.CNIFuncs{Add: add, Check: nothing, Del: nothing}
	skel.PluginMainFuncs(funcs, version.All, "CNI consul-cni plugin v1.5.0")
}

func add(call *skel.CmdArgs) error {
	conf := types.NetConf{}
	if err := json.Unmarshal(call.StdinData, &conf); err != nil {
		return err
	}
	before, err := previous(&conf)
	if err != nil {
		return err
	}
	if err := redirect(call); err != nil {
		return err
	}
	return types.PrintResult(before, conf.CNIVersion)
}

func previous(conf *types.NetConf) (*current.Result, error) {
	if err := version.ParsePrevResult(conf); err != nil {
		return nil, err
	}
	if conf.PrevResult == nil {
		return &current.Result{CNIVersion: "0.3.1"}, nil
	}
	before, err := current.GetResult(conf.PrevResult)
	if err == nil && len(before.IPs) == 0 {
		err = errors.New("got no container IPs")
	}
	return before, err
}

func redirect(call *skel.CmdArgs) error {
	args := arguments{}
	if err := types.LoadArgs(call.Args, &args); err != nil {
		return err
	}
	if args.CONSUL_IPTABLES_CONFIG == "" {
		return errors.New("not running in a pod, namespace and pod should have values")
	}
	config := iptables.Config{}
	if err := json.Unmarshal([]byte(args.CONSUL_IPTABLES_CONFIG), &config); err != nil {
		return fmt.Errorf("could not unmarshal CNI args: %w", err)
	}
	config.NetNS = call.Netns
	if err := iptables.Setup(config); err != nil {
		return fmt.Errorf("could not apply iptables setup: %w", err)
	}
	return nil
}
