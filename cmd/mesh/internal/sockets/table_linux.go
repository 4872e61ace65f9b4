package sockets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// row is a row of the table of connections. The inode is 0 for one that was closed.
type row struct {
	connection
	inode uint64
}

// connections returns the rows with one of the remote ports.
func connections(ports []uint16) (rows []row) {
	var ends []string
	for _, port := range ports {
		ends = append(ends, fmt.Sprintf(":%04X ", port))
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		file, err := os.Open(table) //nolint:gosec // one of the two names
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if !slices.ContainsFunc(ends, func(end string) bool { return bytes.Contains(lines.Bytes(), []byte(end)) }) {
				continue
			}
			fields := strings.Fields(lines.Text())
			remote := address(fields[2])
			if !slices.Contains(ports, remote.Port()) {
				continue
			}
			inode, _ := strconv.ParseUint(fields[9], 10, 64)
			rows = append(rows, row{connection{address(fields[1]), remote}, inode})
		}
		_ = file.Close()
	}
	return rows
}

// address returns the address of a text such as 0100007F:01BB, whose words have the order of the processor.
func address(text string) netip.AddrPort {
	host, port, _ := strings.Cut(text, ":")
	words, _ := hex.DecodeString(host)
	for i := 0; i+4 <= len(words); i += 4 {
		binary.NativeEndian.PutUint32(words[i:], binary.BigEndian.Uint32(words[i:]))
	}
	ip, _ := netip.AddrFromSlice(words)
	n, _ := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n))
}

// owners returns the processes that have the sockets of rows, by the index of the row.
func owners(rows []row) map[int]int {
	if len(rows) == 0 {
		return nil
	}
	found := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		target, err := os.Readlink(file)
		if err != nil || !strings.HasPrefix(target, "socket:[") {
			continue
		}
		for i, r := range rows {
			if target == fmt.Sprintf("socket:[%d]", r.inode) {
				found[i], _ = strconv.Atoi(strings.Split(file, "/")[2])
			}
		}
	}
	return found
}

// descends reports whether a process is another one or a descendant of it.
func descends(pid, ancestor int) bool {
	for pid > 1 && pid != ancestor {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name before may have spaces
		if len(fields) < 2 {
			return false
		}
		pid, _ = strconv.Atoi(string(fields[1]))
	}
	return pid == ancestor
}

// inherits reports whether the environment of a process has a text.
func inherits(pid int, secret string) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return secret != "" && bytes.Contains(text, []byte(secret))
}
