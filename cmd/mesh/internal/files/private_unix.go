//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// IsPrivate reports whether a file is one of this user's that no other user can read or write.
func IsPrivate(info fs.FileInfo) bool {
	const others = 0o077
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&others == 0
}
