package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/discovery/report/page"
)

// The files of the folder.
const (
	callsFolder  = "calls"
	billFile     = "bill.json"
	reportFile   = "report.html"
	agentFile    = "agent.sh"
	commandsFile = "commands.txt"
)

// story is one run.
type story struct {
	out io.Writer
	dir string
	// today is the UTC day of the run. The calls are of the 90 days before it.
	today time.Time
}

// Play plays the story, prints it to out, and writes the files to a folder, which must exist. now decides on the days of the calls.
func Play(ctx context.Context, out io.Writer, dir string, now time.Time) error {
	s := &story{out: out, dir: dir, today: now.UTC().Truncate(24 * time.Hour)}
	log, err := calls.OpenLog(s.path(callsFolder))
	if err != nil {
		return err
	}
	defer log.Close()
	if err := s.talk(ctx, log); err != nil {
		return err
	}
	if err := s.history(ctx, log); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	c, err := s.bill()
	if err != nil {
		return err
	}
	if err := s.report(c); err != nil {
		return err
	}
	return s.commands()
}

// day returns a day before today.
func (s *story) day(ago int) time.Time { return s.today.AddDate(0, 0, -ago) }

func (s *story) path(name string) string { return filepath.Join(s.dir, name) }

// section begins a part of the story.
func (s *story) section(title string) { fmt.Fprintf(s.out, "\n%s\n", title) }

func (s *story) line(format string, args ...any) { fmt.Fprintf(s.out, "  "+format+"\n", args...) }

// report writes the page of the last 28 days, with the bill.
func (s *story) report(c *bills.Comparison) error {
	r, err := report.Read(report.Options{Bills: []*bills.Comparison{c}, Now: s.today}, s.path(callsFolder))
	if err != nil {
		return err
	}
	r.Source.Paths = []string{callsFolder}
	var html bytes.Buffer
	if err := page.Write(&html, r); err != nil {
		return err
	}
	s.section("The report")
	s.line("%s", s.path(reportFile))
	return os.WriteFile(s.path(reportFile), html.Bytes(), 0o600)
}
