package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// A program's first thread never ends, and /proc shows its namespace as the program's. So only the main goroutine may have it:
// the wrappers would take a container for alive.
func init() {
	runtime.LockOSThread()
}

// sysctls returns those of IPv4 and IPv6 in a network namespace: a line for each folder, such as net/ipv4/conf/eth0.
func sysctls(_ context.Context, req *request) (any, error) {
	// The thread ends with this goroutine, because it is never unlocked.
	runtime.LockOSThread()
	if req.NetNS != "" {
		namespace, err := os.Open(req.NetNS)
		if err != nil {
			return nil, err
		}
		defer namespace.Close()
		if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
			return nil, err
		}
	}
	folders, err := filepath.Glob("/proc/sys/net/ipv[46]/conf/*")
	found := map[string]string{}
	for _, folder := range folders {
		found[strings.TrimPrefix(folder, "/proc/sys/")] = valuesIn(folder)
	}
	return found, err
}

// valuesIn opens each file by its folder, because there are about a thousand.
func valuesIn(folder string) string {
	directory, err := os.Open(folder)
	if err != nil {
		return err.Error()
	}
	defer directory.Close()
	names, _ := directory.Readdirnames(-1)
	var values strings.Builder
	buffer := make([]byte, 4096)
	for _, name := range names {
		file, err := unix.Openat(int(directory.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		// Some of them cannot be read.
		if count, err := unix.Read(file, buffer); err == nil {
			values.WriteString(name + "=" + strings.TrimSpace(string(buffer[:count])) + " ")
		}
		unix.Close(file)
	}
	return values.String()
}
