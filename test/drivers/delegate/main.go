// Command delegate takes a plugin's place where only what stands before the plugin is timed: it reads its request and, on
// ADD, prints the answer that stands beside it in a file of its name with .json.
package main

import (
	"io"
	"os"
)

func main() {
	if err := answer(); err != nil {
		os.Stderr.WriteString("delegate: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func answer() error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil || os.Getenv("CNI_COMMAND") != "ADD" {
		return err
	}
	recorded, err := os.ReadFile(os.Args[0] + ".json")
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(recorded)
	return err
}
