package sockets

import (
	"encoding/binary"
	"errors"
	"math"
	"net/netip"
	"os"
	"slices"
	"syscall"
)

// destroyed is what the kernel reports of each TCP connection of the machine that ends, to every user, since Linux 4.2.
type destroyed struct{ file *os.File }

// newDestroyed returns nil if the kernel does not report them.
func newDestroyed() *destroyed {
	const sockDiag, groups = 4, 1<<0 | 1<<2 // NETLINK_SOCK_DIAG; SKNLGRP_INET_TCP_DESTROY and SKNLGRP_INET6_TCP_DESTROY
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, sockDiag)
	if err != nil {
		return nil
	}
	if err := syscall.Bind(fd, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: groups}); err != nil {
		_ = syscall.Close(fd)
		return nil
	}
	return &destroyed{os.NewFile(uintptr(fd), "sock_diag")}
}

func (d *destroyed) close() { _ = d.file.Close() }

// each calls a function with each connection to one of the ports, and its bytes, until close.
func (d *destroyed) each(ports []uint16, do func(connection, traffic)) {
	const most = 16 << 10
	for buffer := make([]byte, most); ; {
		n, err := d.file.Read(buffer)
		if errors.Is(err, syscall.ENOBUFS) { // some were lost; the table has them still
			continue
		}
		if err != nil {
			return
		}
		messages, _ := syscall.ParseNetlinkMessage(buffer[:n])
		for _, m := range messages {
			if c, ok := endsOf(m.Data); ok && slices.Contains(ports, c.remote.Port()) {
				do(c, trafficOf(m.Data[diagSize:]))
			}
		}
	}
}

// diagSize is the size of struct inet_diag_msg.
const diagSize = 72

// endsOf reads struct inet_diag_msg: the family at 0, the ports at 4 and 6, and the addresses at 8 and 24.
func endsOf(msg []byte) (c connection, ok bool) {
	if len(msg) < diagSize {
		return c, false
	}
	size := 4
	if msg[0] == syscall.AF_INET6 {
		size = 16
	}
	end := func(port, at int) netip.AddrPort {
		ip, _ := netip.AddrFromSlice(msg[at : at+size])
		return netip.AddrPortFrom(ip.Unmap(), binary.BigEndian.Uint16(msg[port:]))
	}
	return connection{end(4, 8), end(6, 24)}, true
}

// trafficOf reads struct tcp_info, which is an attribute: the bytes that were acknowledged at 120, and those that were received at 128.
func trafficOf(attributes []byte) (t traffic) {
	const header, info, acked, received = 4, 2, 120, 128
	for len(attributes) >= header {
		size := int(binary.NativeEndian.Uint16(attributes))
		if size < header || size > len(attributes) {
			return t
		}
		if value := attributes[header:size]; binary.NativeEndian.Uint16(attributes[2:]) == info && len(value) >= received+8 {
			count := func(at int) int64 { return int64(min(binary.NativeEndian.Uint64(value[at:]), math.MaxInt64)) }
			return traffic{count(acked), count(received), true}
		}
		attributes = attributes[min(len(attributes), (size+header-1)/header*header):]
	}
	return t
}
