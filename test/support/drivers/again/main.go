// Command again executes a program with one more variable, which comes after its own ones, even if they have one of this
// name: a shell would replace it.
//
//	again NAME=VALUE PROGRAM [ARGUMENT...]
package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	err := syscall.Exec(os.Args[2], os.Args[2:], append(os.Environ(), os.Args[1]))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
