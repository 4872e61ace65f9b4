package main

import (
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// writePage writes the page of calls files. names are those of the command line, since stdin and pipes are read from copies; unread are the
// errors of reading them, with these names.
func writePage(file string, o report.Options, in *callsfiles.Files, names, unread []string) error {
	r, err := report.Read(o, in.Paths...)
	if err != nil {
		return err
	}
	r.Source.Paths = append([]string{}, names...)
	if len(unread) > 0 {
		r.Errors.First = unread
	}
	return writeFile("--html", file, r.WriteHTML)
}
