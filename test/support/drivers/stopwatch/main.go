// Command stopwatch times commands round by round: every command once, in an order that changes, then the next round, so
// that what else the machine does meets all of them alike. hyperfine, as Debian 12 has it, runs one command after the other
// and needs a shell to give a file as stdin, which costs more than some of what is timed.
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
	// Removed before each run: what an earlier run left there would make the next one another case.
	Leftovers string `json:"leftovers"`
}

type command struct {
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Stdin string   `json:"stdin"`
	// How many of it are started at once; one where nothing is said.
	AtOnce int `json:"atOnce"`
}

// Processor time is that of the processes and of all that they waited for.
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
		if err := os.RemoveAll(todo.Leftovers); err != nil {
			return nil, err
		}
		measured, err := measureAtOnce(&todo.Commands[index])
		if err != nil {
			return nil, fmt.Errorf("%v: %w", todo.Commands[index].Argv, err)
		}
		round[index] = measured
	}
	return round, nil
}

// measureAtOnce takes the time from the first start to the last end, and the processor time of all. A run that fails fails the
// measurement: it did not do its work, and says nothing about how long the work takes.
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

// prepare does what need not be timed: each call has the file as its stdin from the beginning. Stdout is dropped.
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
