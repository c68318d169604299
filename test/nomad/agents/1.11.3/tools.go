//go:build tools

// Package tools pins a Nomad that the suite builds.
package tools

import _ "github.com/hashicorp/nomad"
