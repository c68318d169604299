// Command floor does nothing but take its only argument's place: no wrapper can start faster.
package main

import (
	"os"
	"syscall"
)

func main() {
	err := syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	os.Stderr.WriteString("floor: " + err.Error() + "\n")
	os.Exit(1)
}
