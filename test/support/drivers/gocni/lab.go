package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// lab says what a lab's host has. Its directories are those of the machine.
type lab struct {
	Plugins, Wrappers, Drivers, Node string
	// Disk becomes /var/lib, if it is not empty.
	Disk                  string
	Recorded, ForRuntimes bool
	Programs              map[string]string
}

const installed = "/opt/cni/bin"

// uplink0 is the parent of macvlan interfaces, and uplink1 the network behind it.
const links = `link set lo up
link add uplink0 type veth peer name uplink1
link set uplink0 up
link set uplink1 up
`

// serveLab makes its private namespaces look like a host with CNI plugins, and runs the lab's commands until stdin is
// closed. No other process sees its mounts, and they end with it.
func serveLab(options string) error {
	var made lab
	if err := json.Unmarshal([]byte(options), &made); err != nil {
		return err
	}
	if err := made.make(); err != nil {
		return fmt.Errorf("the lab: %w", err)
	}
	fmt.Println("ready")
	return serve()
}

func (l *lab) make() error {
	do := &steps{}
	do.mount("tmpfs", "/run")
	do.folders("/run/netns", "/run/lab/net.d", "/run/lab/records", "/run/lab/real", "/run/lab/programs")
	do.bind("/run/netns", "/run/netns")
	do.try(syscall.Mount("", "/run/netns", "", syscall.MS_SHARED, ""))
	// This also hides the machine's control groups: programs in a test must not make any there.
	do.try(syscall.Unmount("/sys", syscall.MNT_DETACH))
	// Everything from outside comes first, because later mounts hide parts of the file system.
	do.bind(l.Plugins, "/run/lab/plugins")
	do.bind(l.Wrappers, "/run/lab/wrappers")
	do.bind(l.Drivers, "/run/lab/drivers")
	do.bind(l.Node, "/run/lab/node")
	for name, file := range l.Programs {
		do.bind(file, "/run/lab/programs/"+name)
	}
	do.mount("tmpfs", "/opt")
	if l.Disk == "" {
		do.mount("tmpfs", "/var/lib")
	} else {
		do.bind(l.Disk, "/var/lib")
	}
	// A log that a test writes must not reach the machine.
	do.mount("tmpfs", "/var/log")
	// The machine's own lists are none of this host's.
	if _, err := os.Stat("/etc/cni"); err == nil {
		do.mount("tmpfs", "/etc/cni")
	}
	do.mount("sysfs", "/sys")
	// A host with a disk was booted for this lab.
	if l.Disk != "" {
		id, err := os.ReadFile("/proc/sys/kernel/random/uuid")
		do.try(err)
		do.write("/run/lab/boot_id", string(id))
		do.bind("/run/lab/boot_id", "/proc/sys/kernel/random/boot_id")
	}
	l.install(do)
	if l.ForRuntimes {
		l.prepareForRuntimes(do)
	}
	ip := exec.Command("ip", "-batch", "-")
	ip.Stdin, ip.Stderr = strings.NewReader(links), os.Stderr
	do.try(ip.Run())
	return do.err
}

func (l *lab) install(do *steps) {
	real := installed
	if l.Recorded {
		real = "/run/lab/real"
	}
	do.folders(installed)
	for _, directory := range []string{"/run/lab/plugins", "/run/lab/wrappers"} {
		do.forEach(directory, func(file, name string) {
			// Like cp -P, but with a mount of the file, because a wrapper has a hundred megabytes.
			if target, err := os.Readlink(file); err == nil {
				do.try(os.Symlink(target, filepath.Join(real, name)))
			} else if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				do.bind(file, filepath.Join(real, name))
			}
		})
	}
	if l.Recorded {
		do.write(installed+"/recorder.json", `{"real": "/run/lab/real", "out": "/run/lab/records"}`)
		do.forEach(real, func(_, name string) {
			do.try(os.Symlink("/run/lab/drivers/recorder", filepath.Join(installed, name)))
		})
	}
}

// prepareForRuntimes makes other places in which container runtimes read and write. They get cgroup v2 even if the host has
// another layout.
func (l *lab) prepareForRuntimes(do *steps) {
	do.try(exec.Command("cp", "-a", "/etc", "/run/lab/etc").Run())
	do.try(os.RemoveAll("/run/lab/etc/cni/net.d"))
	do.folders("/run/lab/etc/cni/net.d")
	do.bind("/run/lab/etc", "/etc")
	for _, directory := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		do.mount("tmpfs", directory)
	}
	do.mount("cgroup2", "/sys/fs/cgroup")
}

// steps remembers the first error.
type steps struct{ err error }

func (s *steps) try(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *steps) folders(names ...string) {
	for _, name := range names {
		s.try(os.MkdirAll(name, 0o755))
	}
}

func (s *steps) write(file, content string) {
	s.try(os.WriteFile(file, []byte(content), 0o644))
}

func (s *steps) mount(kind, directory string) {
	if err := syscall.Mount("lab", directory, kind, 0, ""); err != nil {
		s.try(&os.PathError{Op: "mount " + kind, Path: directory, Err: err})
	}
}

// bind mounts a file or a directory at a place, which is made if it is missing.
func (s *steps) bind(from, to string) {
	info, err := os.Stat(from)
	s.try(err)
	if _, err := os.Lstat(to); err != nil && info != nil {
		if info.IsDir() {
			s.folders(to)
		} else {
			s.write(to, "")
		}
	}
	if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
		s.try(&os.PathError{Op: "bind " + from, Path: to, Err: err})
	}
}

func (s *steps) forEach(directory string, do func(file, name string)) {
	entries, err := os.ReadDir(directory)
	s.try(err)
	for _, entry := range entries {
		do(filepath.Join(directory, entry.Name()), entry.Name())
	}
}
