package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// readReport returns the report of calls files. names are those of the command line, since stdin and pipes are read from copies; unread are
// the errors of reading them, with these names.
func (a *app) readReport(o report.Options, in *callsfiles.Files, names, unread []string) (*report.Report, error) {
	o.OnRead = a.readingCalls("reading calls for the report", in)
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

// checkPage checks the file of --html, which must not be one that the command reads.
func (a *app) checkPage(file string, inputs ...string) error {
	prices, _ := a.ownPriceFiles()
	switch {
	case file == "-":
		return usagef("--html must be a file; a page is not written to stdout")
	case file != "" && callsfiles.Reads(slices.Concat(inputs, prices), file):
		return usagef("--html %s is a file that is read, and the page would replace it", file)
	}
	return nil
}

// writePage writes the page of calls files.
func (a *app) writePage(file string, o report.Options, in *callsfiles.Files, names []string) error {
	r, err := a.readReport(o, in, names, nil)
	if err != nil {
		return err
	}
	return a.writeHTML(file, r)
}

// writeHTML writes the file of --html.
func (a *app) writeHTML(name string, r *report.Report) error {
	file, err := os.Create(name) //nolint:gosec // the user names the file
	if err != nil {
		return usagef("--html %s: %w", name, withoutPath(err))
	}
	if err := r.WriteHTML(file); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	fmt.Fprintf(a.errs, "mesh: wrote %s\n", output.Line(name))
	return nil
}
