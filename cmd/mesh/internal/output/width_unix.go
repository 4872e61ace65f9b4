//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

func terminalWidth(f *os.File) (width int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
