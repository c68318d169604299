// Command recorder replaces a plugin in a plugin directory. It writes each request and its answer to NN-VERB-plugin.json,
// numbered in the order of the requests, and passes the call on to the real executable.
//
// The file recorder.json next to it has the directories, because a runtime may not pass its environment on:
// {"real": "/the/real/plugins", "out": "/where/records/go"}.
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
	"syscall"
)

type settings struct {
	Real string `json:"real"`
	Out  string `json:"out"`
}

type record struct {
	Plugin   string            `json:"plugin"`
	Env      map[string]string `json:"env"`
	Stdin    any               `json:"stdin"`
	Stdout   any               `json:"stdout"`
	Stderr   string            `json:"stderr,omitempty"`
	ExitCode int               `json:"exitCode"`
}

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "recorder: %v\n", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run() (int, error) {
	where, err := readSettings()
	if err != nil {
		return 0, err
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 0, err
	}
	rec := &record{Plugin: filepath.Base(os.Args[0]), Env: cniVariables(), Stdin: decoded(stdin)}
	path, err := reserve(where.Out, rec)
	if err != nil {
		return 0, err
	}
	stdout, err := pass(filepath.Join(where.Real, rec.Plugin), stdin, rec)
	if err != nil {
		return 0, err
	}
	// Written before the answer is passed on: a reader of the answer finds the record.
	if err := write(path, rec); err != nil {
		return 0, err
	}
	_, _ = os.Stderr.WriteString(rec.Stderr)
	_, err = os.Stdout.Write(stdout)
	return rec.ExitCode, err
}

func readSettings() (settings, error) {
	var where settings
	data, err := os.ReadFile(filepath.Join(filepath.Dir(os.Args[0]), "recorder.json"))
	if err != nil {
		return where, err
	}
	return where, json.Unmarshal(data, &where)
}

func cniVariables() map[string]string {
	found := map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "CNI_") {
			found[name] = value
		}
	}
	return found
}

// decoded is the JSON value of data, or its text if it is not JSON. Numbers keep their digits.
func decoded(data []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return string(data)
	}
	return value
}

// reserve takes the next number under a lock: a plugin and the IPAM plugin it calls run at the same time.
func reserve(dir string, rec *record) (string, error) {
	lock, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	taken, err := filepath.Glob(filepath.Join(dir, "[0-9]*.json"))
	if err != nil {
		return "", err
	}
	verb := rec.Env["CNI_COMMAND"]
	if verb == "" {
		verb = "NONE"
	}
	path := filepath.Join(dir, fmt.Sprintf("%02d-%s-%s.json", len(taken)+1, verb, rec.Plugin))
	return path, write(path, rec)
}

func pass(real string, stdin []byte, rec *record) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	call := exec.Command(real, os.Args[1:]...)
	call.Stdin, call.Stdout, call.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err := call.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	rec.Stdout, rec.Stderr, rec.ExitCode = decoded(stdout.Bytes()), stderr.String(), exitCode(call.ProcessState)
	return stdout.Bytes(), nil
}

// exitCode is 128+n, as in a shell, if a signal ended the call.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

func write(path string, rec *record) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(rec); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}
