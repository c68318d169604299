// Command echo shows that traffic reaches a network namespace, and which one.
//
//	echo serve PORT        answers on this port, by tcp and udp, IPv4 and IPv6, with its own namespace, such as net:[4026532000]
//	echo ask tcp|udp HOST:PORT    prints the answer; exit code 1 if there is none within a second
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

const patience = time.Second

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "serve":
		return serve(args[1])
	case len(args) == 3 && args[0] == "ask":
		return ask(args[1], args[2])
	}
	return fmt.Errorf("usage: echo serve PORT | echo ask tcp|udp HOST:PORT")
}

func serve(port string) error {
	namespace, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return err
	}
	// Each family has its own socket: if lo is down, Go assumes that IPv6 is missing and leaves it out of a common socket.
	failures := make(chan error)
	for _, family := range []string{"4", "6"} {
		go func() { failures <- serveFamily(family, port, []byte(namespace)) }()
	}
	if first := <-failures; first != nil {
		fmt.Fprintln(os.Stderr, first)
	}
	return <-failures
}

func serveFamily(family, port string, answer []byte) error {
	packets, err := net.ListenPacket("udp"+family, ":"+port)
	if err != nil {
		return err
	}
	go servePackets(packets, answer)
	connections, err := net.Listen("tcp"+family, ":"+port)
	if err != nil {
		return err
	}
	for {
		connection, err := connections.Accept()
		if err != nil {
			return err
		}
		_, _ = connection.Write(answer)
		_ = connection.Close()
	}
}

func servePackets(packets net.PacketConn, answer []byte) {
	buffer := make([]byte, 64)
	for {
		if _, from, err := packets.ReadFrom(buffer); err == nil {
			_, _ = packets.WriteTo(answer, from)
		}
	}
}

func ask(network, address string) error {
	connection, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return err
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(patience))
	if network == "udp" {
		if _, err := connection.Write([]byte("?")); err != nil {
			return err
		}
	}
	buffer := make([]byte, 64)
	n, err := connection.Read(buffer)
	if err != nil {
		return err
	}
	fmt.Println(string(buffer[:n]))
	return nil
}
