//go:build tools

// Package drivers pins what drives the plugins in the tests: the specification's own cnitool.
package drivers

import (
	_ "github.com/containernetworking/cni/cnitool"
)
