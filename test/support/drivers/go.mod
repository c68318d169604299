module cni-wrappers.test/drivers

go 1.24.0

require (
	github.com/containerd/go-cni v1.1.14
	github.com/containernetworking/cni v1.3.0
	github.com/hashicorp/consul/sdk v0.16.1
	golang.org/x/sys v0.23.0
)

require (
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/petermattis/goid v0.0.0-20240813172612-4fcff4a6cae7 // indirect
	github.com/sasha-s/go-deadlock v0.3.5 // indirect
	github.com/vishvananda/netns v0.0.4 // indirect
	go.opentelemetry.io/otel v1.29.0 // indirect
	go.opentelemetry.io/otel/metric v1.29.0 // indirect
	go.opentelemetry.io/otel/trace v1.29.0 // indirect
)
