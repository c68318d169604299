//go:build tools

// Package tools pins the last release of the reference plugins that has flannel's plugin.
package tools

import (
	_ "github.com/containernetworking/plugins/plugins/meta/flannel"
)
