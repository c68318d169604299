package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"strconv"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
	cniversion "github.com/containernetworking/cni/pkg/version"
)

// These verbs call libcni in the order of CRI-O 1.37 (server/sandbox_network.go, server/server.go) and of its library ocicni
// 0.5.0 (pkg/ocicni/ocicni.go). They are not CRI-O: they have no sandboxes, no images and no CRI.

func init() {
	verbs["crio-run"] = runPod
	verbs["crio-restart"] = restart
	verbs["crio-stop"] = stopPod
}

// pod is a sandbox that CRI-O knows when it starts.
type pod struct {
	ID    string `json:"id"`
	NetNS string `json:"netns"`
}

// runPod is RunPodSandbox: ADD, at once CHECK, then the pod's host ports. A failure of any of them ends with DEL.
func runPod(ctx context.Context, req *request) (any, error) {
	list, err := libcni.ConfListFromBytes(req.Conflist)
	if err != nil {
		return nil, err
	}
	ran, err := startNetwork(ctx, req, list)
	if err == nil {
		return ran, nil
	}
	return nil, errors.Join(err, stopNetwork(ctx, req, list))
}

func startNetwork(ctx context.Context, req *request, list *libcni.NetworkConfigList) (any, error) {
	own := pod{req.ID, req.NetNS}
	if _, err := own.ip("link", "set", "lo", "up"); err != nil {
		return nil, err
	}
	if _, err := library(req).AddNetworkList(ctx, list, own.arguments()); err != nil {
		return nil, fmt.Errorf("ADD: %w", err)
	}
	addresses, err := own.status(ctx, req, list)
	if err != nil {
		return nil, fmt.Errorf("CHECK: %w", err)
	}
	chosen := firstOfEachFamily(addresses)
	if err := publish(req, chosen); err != nil {
		return nil, err
	}
	return map[string]any{"addresses": addresses, "published": chosen}, nil
}

// restart is the start of CRI-O with pods that run: GC of everything else, then CHECK of each pod. A failed CHECK is a
// warning, and the pod then has no addresses.
func restart(ctx context.Context, req *request) (any, error) {
	list, err := libcni.ConfListFromBytes(req.Conflist)
	if err != nil {
		return nil, err
	}
	valid := []types.GCAttachment{}
	for _, one := range req.Pods {
		valid = append(valid, types.GCAttachment{ContainerID: one.ID, IfName: "eth0"})
	}
	warnings := map[string]string{}
	if err := library(req).GCNetworkList(ctx, list, &libcni.GCArgs{ValidAttachments: valid}); err != nil {
		warnings["GC"] = err.Error()
	}
	addresses := map[string][]netip.Addr{}
	for _, one := range req.Pods {
		if addresses[one.ID], err = one.status(ctx, req, list); err != nil {
			warnings[one.ID] = err.Error()
		}
	}
	return map[string]any{"addresses": addresses, "warnings": warnings}, nil
}

func stopPod(ctx context.Context, req *request) (any, error) {
	list, err := libcni.ConfListFromBytes(req.Conflist)
	if err != nil {
		return nil, err
	}
	return nil, stopNetwork(ctx, req, list)
}

// stopNetwork runs DEL with the configuration that libcni kept at ADD. It does not need the namespace.
func stopNetwork(ctx context.Context, req *request, list *libcni.NetworkConfigList) error {
	unpublish(req)
	list, arguments, err := cached(req, list, pod{req.ID, req.NetNS}.arguments())
	if err != nil {
		return err
	}
	return library(req).DelNetworkList(ctx, list, arguments)
}

// status is GetPodNetworkStatus: lo is up, and CHECK passes with the configuration that libcni kept. It returns the addresses
// of the kept result, in its order.
func (p pod) status(ctx context.Context, req *request, list *libcni.NetworkConfigList) ([]netip.Addr, error) {
	if shown, err := p.ip("link", "show", "lo", "up"); err != nil || shown == "" {
		return nil, errors.Join(errors.New("lo is down"), err)
	}
	list, arguments, err := cached(req, list, p.arguments())
	if err != nil {
		return nil, err
	}
	if hasCheck, err := cniversion.GreaterThanOrEqualTo(list.CNIVersion, "0.4.0"); err != nil {
		return nil, err
	} else if hasCheck {
		if err := library(req).CheckNetworkList(ctx, list, arguments); err != nil {
			return nil, err
		}
	}
	kept, err := library(req).GetNetworkListCachedResult(list, arguments)
	if err != nil {
		return nil, err
	}
	result, err := current.GetResult(kept)
	if err != nil {
		return nil, err
	}
	addresses := []netip.Addr{}
	for _, ip := range result.IPs {
		address, _ := netip.AddrFromSlice(ip.Address.IP)
		addresses = append(addresses, address.Unmap())
	}
	return addresses, nil
}

// cached returns what libcni kept at ADD. Without it, the list and the arguments are the present ones.
func cached(req *request, list *libcni.NetworkConfigList, arguments *libcni.RuntimeConf) (*libcni.NetworkConfigList, *libcni.RuntimeConf, error) {
	bytes, kept, err := library(req).GetNetworkListCachedConfig(list, arguments)
	if err != nil || bytes == nil {
		return list, arguments, err
	}
	list, err = libcni.ConfListFromBytes(bytes)
	return list, kept, err
}

// arguments never have port mappings: CRI-O publishes a pod's host ports by itself.
func (p pod) arguments() *libcni.RuntimeConf {
	return &libcni.RuntimeConf{
		ContainerID: p.ID,
		NetNS:       p.NetNS,
		IfName:      "eth0",
		Args: [][2]string{
			{"IgnoreUnknown", "1"},
			{"K8S_POD_NAMESPACE", "default"},
			{"K8S_POD_NAME", p.ID},
			{"K8S_POD_INFRA_CONTAINER_ID", p.ID},
			{"K8S_POD_UID", p.ID + "-uid"},
		},
		CapabilityArgs: map[string]any{
			"cgroupPath":                        "/kubepods/" + p.ID,
			"io.kubernetes.cri.pod-annotations": map[string]string{},
		},
	}
}

func (p pod) ip(arguments ...string) (string, error) {
	return output("nsenter", append([]string{"--net=" + p.NetNS, "ip"}, arguments...)...)
}

func firstOfEachFamily(addresses []netip.Addr) []netip.Addr {
	chosen := []netip.Addr{}
	found := map[bool]bool{}
	for _, address := range addresses {
		if !found[address.Is4()] {
			chosen = append(chosen, address)
		}
		found[address.Is4()] = true
	}
	return chosen
}

// publish makes a chain of the pod's host ports. CRI-O's own rules have more conditions, and lead to the same addresses.
func publish(req *request, addresses []netip.Addr) error {
	if len(req.Ports) == 0 {
		return nil
	}
	chain := "CRIO-" + req.ID
	for _, address := range addresses {
		is4 := address.Is4()
		done := []error{iptables(is4, "-N", chain)}
		for _, hook := range hooks {
			done = append(done, iptables(is4, "-A", hook, "-m", "addrtype", "--dst-type", "LOCAL", "-j", chain))
		}
		for _, port := range req.Ports {
			to := netip.AddrPortFrom(address, uint16(port.ContainerPort)).String()
			from := strconv.Itoa(int(port.HostPort))
			done = append(done, iptables(is4, "-A", chain, "-p", port.Protocol, "--dport", from, "-j", "DNAT", "--to-destination", to))
		}
		if err := errors.Join(done...); err != nil {
			return err
		}
	}
	return nil
}

// unpublish does not need the addresses. Without a chain, it does nothing.
func unpublish(req *request) {
	chain := "CRIO-" + req.ID
	for _, is4 := range []bool{true, false} {
		for _, hook := range hooks {
			_ = iptables(is4, "-D", hook, "-m", "addrtype", "--dst-type", "LOCAL", "-j", chain)
		}
		_ = iptables(is4, "-F", chain)
		_ = iptables(is4, "-X", chain)
	}
}

var hooks = []string{"PREROUTING", "OUTPUT"}

func iptables(is4 bool, arguments ...string) error {
	name := "ip6tables"
	if is4 {
		name = "iptables"
	}
	_, err := output(name, append([]string{"--wait", "-t", "nat"}, arguments...)...)
	return err
}

func output(name string, arguments ...string) (string, error) {
	text, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %v: %s: %w", name, arguments, text, err)
	}
	return string(text), nil
}
