// Command consul-cni replaces Consul's plugin of that name, the last one in a transparent proxy's network list. The real one
// cannot be built from a public module. This one does the parts that concern the other plugins of the list. On ADD it takes
// CONSUL_IPTABLES_CONFIG from CNI_ARGS, requires an address in prevResult, redirects the namespace's outbound tcp to the
// proxy, and passes prevResult on. On DEL and CHECK it does nothing.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

const argument = "CONSUL_IPTABLES_CONFIG="

type configuration struct {
	CNIVersion string          `json:"cniVersion"`
	PrevResult json.RawMessage `json:"prevResult"`
}

type result struct {
	IPs []json.RawMessage `json:"ips"`
}

type redirection struct {
	ProxyUserID       string
	ProxyOutboundPort int
	NetNS             string
}

func main() {
	var err error
	switch os.Getenv("CNI_COMMAND") {
	case "":
		fmt.Fprintln(os.Stderr, "CNI consul-cni plugin v1.5.0")
	case "ADD":
		err = add()
	case "VERSION":
		fmt.Println(`{"cniVersion": "1.0.0", "supportedVersions": ["0.3.0", "0.3.1", "0.4.0", "1.0.0"]}`)
	}
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cniVersion": "0.4.0", "code": 100, "msg": err.Error()})
		os.Exit(1)
	}
}

func add() error {
	conf := configuration{}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(stdin, &conf); err != nil {
		return err
	}
	before := result{}
	if conf.PrevResult == nil {
		return fmt.Errorf("must be called as final chained plugin")
	}
	if err := json.Unmarshal(conf.PrevResult, &before); err != nil {
		return err
	}
	if len(before.IPs) == 0 {
		return fmt.Errorf("got no container IPs")
	}
	if err := redirect(); err != nil {
		return err
	}
	_, err = os.Stdout.Write(conf.PrevResult)
	return err
}

func redirect() error {
	config := redirection{}
	for _, pair := range strings.Split(os.Getenv("CNI_ARGS"), ";") {
		if value, found := strings.CutPrefix(pair, argument); found {
			if err := json.Unmarshal([]byte(value), &config); err != nil {
				return fmt.Errorf("%s: %w", argument, err)
			}
		}
	}
	if config.ProxyOutboundPort == 0 {
		return fmt.Errorf("%s is missing in CNI_ARGS", argument)
	}
	port := strconv.Itoa(config.ProxyOutboundPort)
	rule := []string{"-t", "nat", "-A", "OUTPUT", "-p", "tcp", "!", "-d", "127.0.0.1/32",
		"-m", "owner", "!", "--uid-owner", config.ProxyUserID, "-j", "REDIRECT", "--to-ports", port}
	args := append([]string{"--net=" + os.Getenv("CNI_NETNS"), "iptables"}, rule...)
	if output, err := exec.Command("nsenter", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("iptables: %w: %s", err, output)
	}
	return nil
}
