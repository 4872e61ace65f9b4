package main

import (
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// readReport returns the report of calls files. names are those of the command line, since stdin and pipes are read from copies; unread are
// the errors of reading them, with these names.
func (a *app) readReport(o report.Options, in *callsfiles.Files, names, unread []string) (*report.Report, error) {
	a.readingCalls("reading calls for the report", in)
	r, err := report.Read(o, in.Paths...)
	a.progress.Stop()
	if err != nil {
		return nil, err
	}
	r.Source.Paths = append([]string{}, names...)
	if len(unread) > 0 {
		r.Errors.First = unread
	}
	return r, nil
}

// writePage writes the page of calls files.
func (a *app) writePage(file string, o report.Options, in *callsfiles.Files, names []string) error {
	r, err := a.readReport(o, in, names, nil)
	if err != nil {
		return err
	}
	return writeFile("--html", file, r.WriteHTML)
}
