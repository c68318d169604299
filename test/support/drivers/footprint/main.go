// Command footprint counts a command's system calls and its memory until it runs the plugin. It traces the command and all
// processes that it starts, and detaches from the plugin when it is executed.
//
// The plan is a file of JSON, the only argument; each command is a line of JSON on stdout.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

type plan struct {
	Commands []command `json:"commands"`
}

type command struct {
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Stdin string   `json:"stdin"`
	// The file of the plugin. Links are followed.
	Delegate string `json:"delegate"`
}

// The memory is the peak of the process that needed most: the kernel's VmHWM, read before an execve or the end removes it.
type footprint struct {
	SystemCalls int   `json:"systemCalls"`
	PeakKiB     int64 `json:"peakKiB"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "footprint: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	// A tracer is a thread, not a process.
	runtime.LockOSThread()
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var todo plan
	if err := json.Unmarshal(text, &todo); err != nil {
		return err
	}
	lines := json.NewEncoder(os.Stdout)
	for index := range todo.Commands {
		found, err := trace(&todo.Commands[index])
		if err != nil {
			return fmt.Errorf("%v: %w", todo.Commands[index].Argv, err)
		}
		if err := lines.Encode(found); err != nil {
			return err
		}
	}
	return nil
}

const (
	optionExitKill = 0x100000 // PTRACE_O_EXITKILL
	everyChild     = syscall.PTRACE_O_TRACEFORK | syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACECLONE
	options        = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACEEXEC | everyChild | optionExitKill
	systemCallStop = syscall.SIGTRAP | 0x80
)

type tracer struct {
	footprint
	delegate os.FileInfo
	known    map[int]bool
}

func trace(one *command) (*footprint, error) {
	delegate, err := os.Stat(one.Delegate)
	if err != nil {
		return nil, err
	}
	stdin, err := os.Open(one.Stdin)
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	call := exec.Command(one.Argv[0], one.Argv[1:]...)
	call.Stdin, call.Stderr, call.Env = stdin, os.Stderr, one.Env
	call.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := call.Start(); err != nil {
		return nil, err
	}
	t := &tracer{delegate: delegate, known: map[int]bool{}}
	if err := t.follow(call.Process.Pid); err != nil {
		_ = call.Process.Kill()
		return nil, err
	}
	return &t.footprint, nil
}

// follow waits for each stop until no process is left.
func (t *tracer) follow(first int) error {
	for begun := false; ; begun = true {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		if err == syscall.EINTR {
			continue
		}
		if err == syscall.ECHILD {
			return nil
		}
		if err != nil {
			return err
		}
		if pid == first && (status.Signaled() || status.Exited() && status.ExitStatus() != 0) {
			return fmt.Errorf("it failed: status %#x", int(status))
		}
		if !status.Stopped() {
			continue
		}
		if !begun {
			if err := syscall.PtraceSetOptions(first, options); err != nil {
				return err
			}
		}
		// ESRCH: it was killed in the meantime. Wait for its end.
		if err := t.resume(pid, status); err != nil && err != syscall.ESRCH {
			return err
		}
	}
}

func (t *tracer) resume(pid int, status syscall.WaitStatus) error {
	isNew := !t.known[pid]
	t.known[pid] = true
	switch signal := status.StopSignal(); {
	case signal == systemCallStop:
		if err := t.onSystemCall(pid); err != nil {
			return err
		}
		return syscall.PtraceSyscall(pid, 0)
	case status.TrapCause() == syscall.PTRACE_EVENT_EXEC && t.isDelegate(pid):
		return syscall.PtraceDetach(pid)
	case signal == syscall.SIGTRAP, isNew && signal == syscall.SIGSTOP:
		return syscall.PtraceSyscall(pid, 0)
	default:
		return syscall.PtraceSyscall(pid, int(signal))
	}
}

func (t *tracer) isDelegate(pid int) bool {
	file, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && os.SameFile(file, t.delegate)
}

// The part of PTRACE_GET_SYSCALL_INFO's answer that is read here.
type systemCall struct {
	op     uint8
	_      [3]uint8
	_      uint32
	_      [2]uint64
	number uint64
	_      [7]uint64
}

const (
	getSystemCall = 0x420e // PTRACE_GET_SYSCALL_INFO
	onEntry       = 1      // PTRACE_SYSCALL_INFO_ENTRY
)

func (t *tracer) onSystemCall(pid int) error {
	var call systemCall
	request := [6]uintptr{getSystemCall, uintptr(pid), unsafe.Sizeof(call), uintptr(unsafe.Pointer(&call))}
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, request[0], request[1], request[2], request[3], 0, 0)
	if errno != 0 {
		return errno
	}
	if call.op != onEntry {
		return nil
	}
	t.SystemCalls++
	switch call.number {
	case syscall.SYS_EXECVE, syscall.SYS_EXIT_GROUP:
		t.PeakKiB = max(t.PeakKiB, peakOf(pid))
	}
	return nil
}

// peakOf is 0 if the process has no memory any more.
func peakOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			size, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return size
		}
	}
	return 0
}
