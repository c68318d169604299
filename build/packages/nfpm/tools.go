//go:build tools

// Package tools pins nfpm, which makes the .deb and .rpm packages.
package tools

import _ "github.com/goreleaser/nfpm/v2/cmd/nfpm"
