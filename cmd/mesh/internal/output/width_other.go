//go:build !unix && !windows

package output

import "os"

func terminalWidth(*os.File) (width int, ok bool) { return 0, false }
