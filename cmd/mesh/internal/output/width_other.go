//go:build !unix && !windows

package output

import "os"

// terminalWidth reports that f is not a terminal: the width is not known.
func terminalWidth(*os.File) (width int, ok bool) { return 0, false }
