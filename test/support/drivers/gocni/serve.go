package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// ownPath is this program's in a lab.
const ownPath = "/run/lab/drivers/gocni"

// call is a command, or a verb of this program. Env has all of its variables. With Log, its output is appended to that file.
type call struct {
	ID    int      `json:"id"`
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Input string   `json:"input"`
	Log   string   `json:"log"`
}

// ended is the answer to a call. ExitCode is missing if a signal ended the command.
type ended struct {
	ID       int    `json:"id"`
	ExitCode *int   `json:"exitCode,omitempty"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

// serve answers calls on stdin, a line of JSON each. They overlap. A fork of the tests' own process takes longer than most
// commands, and in the second kernel so does the start of a Go program: so this program stays, and a verb needs no process.
func serve() error {
	calls, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var lock sync.Mutex
	for {
		var each call
		if err := calls.Decode(&each); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		go func() {
			var stdout, stderr bytes.Buffer
			code := each.run(&stdout, &stderr)
			lock.Lock()
			defer lock.Unlock()
			_ = answers.Encode(ended{each.ID, code, stdout.String(), stderr.String()})
		}()
	}
}

func (c *call) run(stdout, stderr *bytes.Buffer) *int {
	if c.Argv[0] == ownPath && len(c.Argv) == 2 {
		return c.verb(stdout, stderr)
	}
	command := exec.Cmd{Path: c.file(), Args: c.Argv, Env: c.Env, Dir: "/", Stdin: strings.NewReader(c.Input)}
	command.Stdout, command.Stderr = stdout, stderr
	if c.Log != "" {
		log, err := os.OpenFile(c.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return codeOf(err, stderr)
		}
		defer log.Close()
		command.Stdin, command.Stdout, command.Stderr = nil, log, log
	}
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code := exit.ExitCode(); code >= 0 {
			return &code
		}
		return nil
	}
	return codeOf(err, stderr)
}

// verb runs a verb of this program as a process of its own would.
func (c *call) verb(stdout, stderr *bytes.Buffer) *int {
	reader, writer, err := os.Pipe()
	if err != nil {
		return codeOf(err, stderr)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(stderr, reader)
	}()
	err = answer(c.Argv[1], strings.NewReader(c.Input), stdout, writer)
	writer.Close()
	<-read
	return codeOf(err, stderr)
}

// file finds the command in the call's own PATH.
func (c *call) file() string {
	name, path := c.Argv[0], ""
	for _, pair := range c.Env {
		if value, found := strings.CutPrefix(pair, "PATH="); found {
			path = value
		}
	}
	for _, directory := range filepath.SplitList(path) {
		file := filepath.Join(directory, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() && !strings.Contains(name, "/") {
			return file
		}
	}
	return name
}

func codeOf(err error, stderr io.Writer) *int {
	code := 0
	if err != nil {
		code = 1
		fmt.Fprintln(stderr, err)
	}
	return &code
}
