//go:build tools

// Package tools pins the multus that the wrappers are compared with.
package tools

import (
	_ "gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus"
)
