// Command stopwatch times commands round by round: each command once per round, in a changing order, so that other load on
// the machine affects all of them equally. Debian 12's hyperfine times one command after the other, and needs a shell to
// pass a file as stdin. The shell costs more than some of the timed commands.
//
// The plan is a file of JSON, the only argument; each round is a line of JSON on stdout, measurements in the plan's order.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

type plan struct {
	Rounds   int       `json:"rounds"`
	Commands []command `json:"commands"`
	// The directory of the wrappers' records. An earlier run's would change the next run.
	Records string `json:"records"`
}

type command struct {
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Stdin string   `json:"stdin"`
	// The directory that is copied to the plan's Records before each run.
	Records string `json:"records"`
	// The number of processes that start at once. The default is one.
	AtOnce int `json:"atOnce"`
}

// Processor time includes the processes and all children that they waited for.
type measurement struct {
	WallNs int64 `json:"wallNs"`
	CpuNs  int64 `json:"cpuNs"`
}

var nowhere *os.File

func main() {
	if err := follow(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "stopwatch: %v\n", err)
		os.Exit(1)
	}
}

func follow(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if nowhere, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
		return err
	}
	var todo plan
	if err := json.Unmarshal(text, &todo); err != nil {
		return err
	}
	lines := json.NewEncoder(os.Stdout)
	for range todo.Rounds {
		round, err := measureAll(&todo)
		if err != nil {
			return err
		}
		if err := lines.Encode(round); err != nil {
			return err
		}
	}
	return nil
}

func measureAll(todo *plan) ([]measurement, error) {
	round := make([]measurement, len(todo.Commands))
	for _, index := range rand.Perm(len(todo.Commands)) {
		one := &todo.Commands[index]
		if err := restore(todo.Records, one.Records); err != nil {
			return nil, err
		}
		measured, err := measureAtOnce(one)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", one.Argv, err)
		}
		round[index] = measured
	}
	return round, nil
}

// restore makes a directory equal to another one. Without one, it does nothing.
func restore(directory, from string) error {
	if from == "" {
		return nil
	}
	if err := os.RemoveAll(directory); err != nil {
		return err
	}
	return os.CopyFS(directory, os.DirFS(from))
}

// measureAtOnce returns the time from the first start to the last end, and the processor time of all. A failed run did not do
// its work, so it fails the measurement.
func measureAtOnce(one *command) (measurement, error) {
	var total measurement
	calls, err := prepare(one)
	if err != nil {
		return total, err
	}
	defer func() {
		for _, call := range calls {
			call.Files[0].Close()
		}
	}()
	ends := make(chan end, len(calls))
	started := time.Now()
	for _, call := range calls {
		go func() { ends <- run(one.Argv, call) }()
	}
	for range calls {
		each := <-ends
		if each.err != nil {
			return total, each.err
		}
		total.CpuNs += each.cpu.Nanoseconds()
	}
	total.WallNs = time.Since(started).Nanoseconds()
	return total, nil
}

// prepare makes a call before the timing starts. The file is its stdin. Its stdout is discarded.
func prepare(one *command) ([]*os.ProcAttr, error) {
	calls := make([]*os.ProcAttr, max(1, one.AtOnce))
	for index := range calls {
		stdin, err := os.Open(one.Stdin)
		if err != nil {
			return nil, err
		}
		calls[index] = &os.ProcAttr{Env: one.Env, Files: []*os.File{stdin, nowhere, os.Stderr}}
	}
	return calls, nil
}

type end struct {
	cpu time.Duration
	err error
}

func run(argv []string, call *os.ProcAttr) end {
	process, err := os.StartProcess(argv[0], argv, call)
	if err != nil {
		return end{err: err}
	}
	state, err := process.Wait()
	if err != nil {
		return end{err: err}
	}
	if !state.Success() {
		return end{err: fmt.Errorf("%v", state)}
	}
	return end{cpu: state.UserTime() + state.SystemTime()}
}
