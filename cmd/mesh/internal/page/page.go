// Package page writes the --html file for mesh usage and mesh cost.
package page

import (
	"os"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// ReadReport reports on calls files. unread are earlier read errors, with argument names.
func ReadReport(a *app.App, o report.Options, in *callsfiles.Files, unread []string) (*report.Report, error) {
	o.Facts, _ = a.Facts()
	files := sessions.New(o.Prices)
	notes := 0
	files.OnNote = func(string) { notes++ }
	files.OnCopies = func(calls.Copies) { notes++ }
	o.Decode, o.Join = files.Decode, files.Join
	o.OnRead = a.ReadingCalls("reading calls for the report", in)
	r, err := report.Read(o, in.Paths...)
	a.Progress.Stop()
	if err != nil {
		return nil, err
	}
	r.Source.Paths = append([]string{}, in.Given...)
	if r.Source.Sessions != nil {
		r.Source.Sessions.Notes = notes
	}
	if len(unread) > 0 {
		r.Errors.First = unread
	}
	return r, nil
}

// Check refuses an --html file that the command would read.
func Check(a *app.App, file string, inputs ...string) error {
	prices, _ := a.OwnPriceFiles()
	switch {
	case file == "-":
		return exit.Usagef("--html must be a file, not stdout")
	case file != "" && callsfiles.Reads(a.In, slices.Concat(inputs, prices), file):
		return exit.Usagef("--html %s would replace an input file", file)
	}
	return nil
}

// Write reports on calls files and writes the page.
func Write(a *app.App, file string, o report.Options, in *callsfiles.Files) error {
	r, err := ReadReport(a, o, in, nil)
	if err != nil {
		return err
	}
	if err := WriteHTML(file, "", r); err != nil {
		return err
	}
	a.Note("wrote " + output.Line(file))
	return nil
}

// WriteHTML writes the file of --html. title may be empty.
func WriteHTML(name, title string, r *report.Report) error {
	file, err := os.Create(name) //nolint:gosec // the user names the file
	if err != nil {
		return exit.Usagef("--html %s: %w", name, exit.WithoutPath(err))
	}
	if err := page.WriteTitled(file, r, title); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
