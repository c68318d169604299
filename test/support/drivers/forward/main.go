// Command forward lets a process outside a network namespace talk to a server inside: it listens on a Unix socket and
// passes every connection on.
//
//	forward SOCKET HOST:PORT
package main

import (
	"fmt"
	"io"
	"net"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: forward SOCKET HOST:PORT")
	}
	listener, err := net.Listen("unix", args[0])
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go forward(connection, args[1])
	}
}

func forward(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client) }()
	_, _ = io.Copy(client, server)
}
