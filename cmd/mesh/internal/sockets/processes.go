package sockets

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// owners returns the inodes of the sockets of all processes that this one can read, with whether a socket is of a command, of one of its
// descendants, or of a process with a secret in its environment.
func owners(command int, secret string) map[uint32]bool {
	inodes := map[uint32]bool{}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range processes {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		environment, _ := os.ReadFile(filepath.Join(folder, "environ")) //nolint:gosec // of a process
		ours := descends(pid, command) || (secret != "" && bytes.Contains(environment, []byte(secret)))
		files, _ := filepath.Glob(filepath.Join(folder, "fd", "*"))
		for _, file := range files {
			target, _ := os.Readlink(file)
			var inode uint32
			if n, _ := fmt.Sscanf(target, "socket:[%d]", &inode); n == 1 {
				inodes[inode] = inodes[inode] || ours
			}
		}
	}
	return inodes
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
