package sockets

import (
	"encoding/binary"
	"errors"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"
)

// diag is a netlink socket. The kernel lists TCP connections on it, and announces closed
// ones, to every user since Linux 4.2.
type diag struct{ file *os.File }

// openDiag returns nil if the kernel doesn't support sock_diag.
func openDiag() *diag {
	const ended = 1<<0 | 1<<2 // SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET6_TCP_DESTROY
	return openGroups(ended)
}

// openGroups subscribes to announcements.
func openGroups(groups uint32) *diag {
	const sockDiag = 4 // NETLINK_SOCK_DIAG
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, sockDiag)
	if err != nil {
		return nil
	}
	if err := syscall.Bind(fd, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: groups}); err != nil {
		_ = syscall.Close(fd)
		return nil
	}
	return &diag{os.NewFile(uintptr(fd), "sock_diag")}
}

func (d *diag) close() { _ = d.file.Close() }

// rows returns connections to these ports: those closed since the last call, then those
// open.
func (d *diag) rows(ports []uint16) (rows []row) {
	for _, family := range []byte{syscall.AF_INET, syscall.AF_INET6} {
		for _, m := range d.list(family) {
			if r, ok := rowOf(m.Data); ok && slices.Contains(ports, r.remote.Port()) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func (d *diag) list(family byte) []syscall.NetlinkMessage {
	return d.ask(newRequest(family, syscall.NLM_F_DUMP), false)
}

const requestSize = 72 // struct nlmsghdr, struct inet_diag_req_v2

func newRequest(family byte, flags uint16) []byte {
	const byFamily, info = 20, 1 << 1
	request := make([]byte, requestSize)
	binary.NativeEndian.PutUint32(request, requestSize)
	binary.NativeEndian.PutUint16(request[4:], byFamily)
	binary.NativeEndian.PutUint16(request[6:], syscall.NLM_F_REQUEST|flags)
	request[16], request[17], request[18] = family, syscall.IPPROTO_TCP, info
	binary.NativeEndian.PutUint32(request[20:], math.MaxUint32) // all states
	return request
}

// Ours reports whether the same user opened the connection, on this machine.
func Ours(accepted net.Conn) bool {
	const ports, addresses, cookie, user = 24, 28, 64, 64
	from, okFrom := accepted.RemoteAddr().(*net.TCPAddr)
	to, okTo := accepted.LocalAddr().(*net.TCPAddr)
	d := openGroups(0)
	if !okFrom || !okTo || from.IP.To4() == nil || d == nil {
		return false
	}
	defer d.close()
	request := newRequest(syscall.AF_INET, 0)
	binary.BigEndian.PutUint16(request[ports:], uint16(from.Port)) //nolint:gosec // a port
	binary.BigEndian.PutUint16(request[ports+2:], uint16(to.Port)) //nolint:gosec // a port
	copy(request[addresses:], from.IP.To4())
	copy(request[addresses+16:], to.IP.To4())
	binary.NativeEndian.PutUint64(request[cookie:], math.MaxUint64) // no cookie
	for _, m := range d.ask(request, true) {
		if r, ok := rowOf(m.Data); ok && r.connection == (connection{from.AddrPort(), to.AddrPort()}) {
			return binary.NativeEndian.Uint32(m.Data[user:]) == uint32(os.Geteuid()) //nolint:gosec // a user
		}
	}
	return false
}

// ask sends a request and returns all answers, or the only one, after pending
// announcements.
func (d *diag) ask(request []byte, only bool) (all []syscall.NetlinkMessage) {
	const most, patience = 64 << 10, time.Second
	if _, err := d.file.Write(request); err != nil {
		return nil
	}
	_ = d.file.SetReadDeadline(time.Now().Add(patience))
	for buffer := make([]byte, most); ; {
		n, err := d.file.Read(buffer)
		if errors.Is(err, syscall.ENOBUFS) { // some announcements were lost
			continue
		}
		if err != nil {
			return all
		}
		messages, _ := syscall.ParseNetlinkMessage(slices.Clone(buffer[:n]))
		for _, m := range messages {
			if m.Header.Type == syscall.NLMSG_DONE || m.Header.Type == syscall.NLMSG_ERROR {
				return all
			}
			all = append(all, m)
		}
		if only {
			return all
		}
	}
}

// rowOf decodes struct inet_diag_msg: family at 0, state at 1, ports at 4 and 6,
// addresses at 8 and 24, inode at 68.
func rowOf(msg []byte) (r row, ok bool) {
	const size, inode, closed = 72, 68, 7
	if len(msg) < size {
		return r, false
	}
	length := 4
	if msg[0] == syscall.AF_INET6 {
		length = 16
	}
	end := func(port, at int) netip.AddrPort {
		ip, _ := netip.AddrFromSlice(msg[at : at+length])
		return netip.AddrPortFrom(ip.Unmap(), binary.BigEndian.Uint16(msg[port:]))
	}
	r.connection = connection{end(4, 8), end(6, 24)}
	if msg[1] != closed {
		r.inode = binary.NativeEndian.Uint32(msg[inode:])
	}
	r.sent, r.received = bytesOf(msg[size:])
	return r, true
}

// bytesOf decodes the attribute struct tcp_info: acknowledged bytes at 120, received
// bytes at 128. Opening and closing a connection count as one byte each.
func bytesOf(attributes []byte) (sent, received int64) {
	const header, info, acknowledged, arrived, ends = 4, 2, 120, 128, 2
	for len(attributes) >= header {
		size := int(binary.NativeEndian.Uint16(attributes))
		if size < header || size > len(attributes) {
			break
		}
		if value := attributes[header:size]; binary.NativeEndian.Uint16(attributes[2:]) == info && len(value) >= arrived+8 {
			count := func(at int) int64 { return max(0, int64(binary.NativeEndian.Uint64(value[at:]))-ends) } //nolint:gosec // less than 2^63
			return count(acknowledged), count(arrived)
		}
		attributes = attributes[min(len(attributes), (size+header-1)/header*header):]
	}
	return 0, 0
}
