package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// stdLog is the output of the standard logger of package log. It redacts what other packages print there.
type stdLog struct{ w io.Writer }

// Write writes one record, with the credentials in it replaced.
func (l stdLog) Write(record []byte) (int, error) {
	text := strings.TrimSuffix(string(record), "\n")
	// net/http quotes up to 4 KiB that follow a response: perhaps a part of a token, in any encoding.
	if before, _, quotes := strings.Cut(text, `"`); quotes {
		text = before + "[a quoted text is not shown, since it may contain a credential]"
	}
	if _, err := fmt.Fprintln(l.w, output.Lines(exit.Redact(text))); err != nil {
		return 0, err
	}
	return len(record), nil
}
