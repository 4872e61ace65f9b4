//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth returns the width of a terminal; ok is false if f is not a terminal.
func terminalWidth(f *os.File) (width int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
