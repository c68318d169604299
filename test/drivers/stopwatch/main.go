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
	"os/exec"
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

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "stopwatch: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
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

// measureAtOnce takes the time from the first start to the last end, and the processor time of all.
func measureAtOnce(one *command) (measurement, error) {
	if one.AtOnce <= 1 {
		return measure(one)
	}
	results := make(chan result, one.AtOnce)
	started := time.Now()
	for range one.AtOnce {
		go func() {
			measured, err := measure(one)
			results <- result{measured, err}
		}()
	}
	var total measurement
	for range one.AtOnce {
		each := <-results
		if each.err != nil {
			return total, each.err
		}
		total.CpuNs += each.CpuNs
	}
	total.WallNs = time.Since(started).Nanoseconds()
	return total, nil
}

type result struct {
	measurement
	err error
}

// measure fails with the command: a run that did not do its work says nothing about how long the work takes.
func measure(one *command) (measurement, error) {
	var none measurement
	stdin, err := os.Open(one.Stdin)
	if err != nil {
		return none, err
	}
	defer stdin.Close()
	// Files, not readers: with these Go would copy by goroutines of its own while the time is taken. Stdout is /dev/null.
	call := exec.Command(one.Argv[0], one.Argv[1:]...)
	call.Stdin, call.Stderr, call.Env = stdin, os.Stderr, one.Env
	started := time.Now()
	err = call.Run()
	wall := time.Since(started)
	if err != nil {
		return none, err
	}
	cpu := call.ProcessState.UserTime() + call.ProcessState.SystemTime()
	return measurement{WallNs: wall.Nanoseconds(), CpuNs: cpu.Nanoseconds()}, nil
}
