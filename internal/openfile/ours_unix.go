//go:build unix

package openfile

import (
	"io/fs"
	"os"
	"syscall"
)

// IsOurs reports whether this user owns a file and others have no permission in others.
func IsOurs(info fs.FileInfo, others fs.FileMode) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&others == 0
}
