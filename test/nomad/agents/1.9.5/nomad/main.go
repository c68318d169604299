// The agent of Nomad 1.9.5 without Nomad's other commands: these need a version of nomad/api that the module proxy lacks.
package main

import (
	"fmt"
	"os"

	// As in Nomad's own main.go: each of them takes over a process that the agent starts for a task.
	_ "github.com/hashicorp/nomad/client/allocrunner/taskrunner/getter"
	_ "github.com/hashicorp/nomad/client/allocrunner/taskrunner/template/renderer"
	_ "github.com/hashicorp/nomad/client/logmon"
	_ "github.com/hashicorp/nomad/drivers/docker/docklog"
	_ "github.com/hashicorp/nomad/drivers/shared/executor"

	"github.com/hashicorp/cli"
	"github.com/hashicorp/nomad/command/agent"
	"github.com/hashicorp/nomad/version"
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "agent" {
		fmt.Println(version.GetVersion().FullVersionNumber(true))
		return
	}
	ui := &cli.BasicUi{Reader: os.Stdin, Writer: os.Stdout, ErrorWriter: os.Stderr}
	command := &agent.Command{Version: version.GetVersion(), Ui: ui, ShutdownCh: make(chan struct{})}
	os.Exit(command.Run(os.Args[2:]))
}
