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

// unsolicited begins the message of net/http about bytes that follow a response. It quotes up to 4 KiB of them, which may contain
// any part of a token, in any encoding.
const unsolicited = "Unsolicited response received on idle HTTP channel"

// Write writes one record, with the credentials in it replaced.
func (l stdLog) Write(record []byte) (int, error) {
	text := strings.TrimSuffix(string(record), "\n")
	if before, _, found := strings.Cut(text, unsolicited); found {
		text = before + unsolicited + "; its text may contain a credential and is not shown"
	}
	if _, err := fmt.Fprintln(l.w, output.Lines(exit.Redact(text))); err != nil {
		return 0, err
	}
	return len(record), nil
}
