// Package app provides the parts that commands share: streams, global flags, output, the
// price list, and clients for the gateway and for providers. A command gets an [App] and
// adds its own flags.
package app

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/scan"
)

// App is the state for one run of mesh, shared by its commands.
type App struct {
	In        io.Reader
	Out, Errs io.Writer
	Providers []discovery.Option
	Progress  output.Progress

	Flags  profile.Flags
	Format string
	Wide   bool
	// Rules is --rules; "" means the default.
	Rules string
	// PriceFiles is --prices.
	PriceFiles []string
	Settings   func() (profile.Settings, error)
	Token      func() (string, error) // reads the file once: it may be a pipe

	// Client and Args are set for functions passed to [App.AsNode] and [App.Observe].
	Client *client.MeshClient
	Args   []string

	loadFacts sync.Once
	facts     *facts.Facts
	factsFrom string
}

// Print writes value as JSON if -o json is set, else calls text.
func (a *App) Print(value any, text func(io.Writer) error) error { return a.printAs(value, "  ", text) }

// PrintTable writes value as JSON if -o json is set, else rows as a table.
func (a *App) PrintTable(value any, columns []table.Column, rows [][]string) error {
	return a.Print(value, func(w io.Writer) error { return output.Table(w, columns, rows) })
}

// PrintLine is like [App.Print], for endless sequences: each JSON value is one line.
func (a *App) PrintLine(value any, text func(io.Writer) error) error {
	return a.printAs(value, "", text)
}

func (a *App) printAs(value any, indent string, text func(io.Writer) error) error {
	a.Progress.Stop()
	if a.Format == "json" {
		return output.JSON(a.Out, value, indent)
	}
	if a.Wide {
		return text(output.Wide{Writer: a.Out})
	}
	return text(a.Out)
}

// Note prints a line on stderr, next to the command's output.
func (a *App) Note(line string) {
	a.Progress.Stop()
	fmt.Fprintln(a.Errs, "mesh:", line)
}

// Warn prints an error that doesn't end the command.
func (a *App) Warn(err error) {
	a.Progress.Stop()
	fmt.Fprintln(a.Errs, "mesh: warning:", strings.ReplaceAll(exit.Lines(err), "\n", "\nmesh: warning: "))
}

// ProviderFlag adds --provider, with completion.
func ProviderFlag(cmd *cobra.Command, name *string, usage string) {
	cmd.Flags().StringVar(name, "provider", "", usage)
	Complete(cmd, "provider", completeProvider)
}

// ParseDays parses a number of days like "60d". flag is for the error.
func ParseDays(flag, text string) (time.Duration, error) {
	days, ok := dates.Days(text)
	if !ok {
		return 0, exit.Usagef("%s %q must be a number of days, such as 60d, and at most %dd", flag, text, dates.MaxDays)
	}
	return time.Duration(days) * 24 * time.Hour, nil
}

// Exclude makes flag exclude others. It sets PreRunE, which allows only one call per
// command.
func Exclude(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other) // for completion; we report a different error
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, other := range others {
			if cmd.Flags().Changed(flag) && cmd.Flags().Changed(other) {
				return exit.Usagef("--%s and --%s cannot be used together", flag, other)
			}
		}
		return nil
	}
}

// CheckRules rejects unknown rules for --allow-rule, which would have no effect.
func CheckRules(rules []int) error {
	extended := scan.ExtendedRules()
	for _, rule := range rules {
		if slices.ContainsFunc(extended, func(r scan.Rule) bool { return r.Number == rule }) {
			continue
		}
		if rule < 0 || rule >= len(scan.Rules()) {
			return exit.Usagef("--allow-rule %d must be 1 to %d, or %d to %d", rule, len(scan.Rules())-1, extended[0].Number, extended[len(extended)-1].Number)
		}
	}
	return nil
}

// OpenCalls opens calls files. If stdin is the process's own, a signal that ends the
// process removes temporary copies first. Otherwise this run may share the process with
// others, which handle signals themselves.
func (a *App) OpenCalls(paths []string) (*callsfiles.Files, error) {
	return callsfiles.Open(a.ReadingStdin(), paths, a.In == os.Stdin)
}

// ReadingCalls shows how much has been read from the files in in. Call onRead with the
// number of bytes after each read. what names this pass if there are several.
func (a *App) ReadingCalls(what string, in *callsfiles.Files) (onRead func(bytes int)) {
	var read atomic.Int64
	a.Progress.Reading(what, in.Size, read.Load)
	return func(bytes int) { read.Add(int64(bytes)) }
}

// SumCalls adds up calls files and agent sessions. unread reports unreadable lines; what
// session files lack is noted.
func (a *App) SumCalls(o calls.Options, in *callsfiles.Files) (sums [][]calls.Group, unread error) {
	reader, said := sessions.New(o.Prices), sessions.Said{}
	said.Listen(reader, false, nil)
	reader.Read(&o)
	o.OnRead, o.OnCopies = a.ReadingCalls("reading calls", in), in.OnCopies(a.Warn)
	sums, err := calls.Sum(o, in.Paths...)
	if text := said.Short(); text != "" {
		a.Note(text)
	}
	return sums, exit.WrongUse(in.Rename(err))
}

// ReadingFile shows progress while the returned reader is read.
func (a *App) ReadingFile(what string, file *os.File) io.Reader {
	counted := &countedReader{Reader: file}
	a.Progress.Reading(what, func() int64 {
		info, err := file.Stat()
		if err != nil {
			return 0
		}
		return info.Size() // 0 for a pipe
	}, counted.n.Load)
	return counted
}

// ReadingStdin returns a reader that shows progress, unless a person may type.
func (a *App) ReadingStdin() io.Reader {
	if f, ok := a.In.(*os.File); ok && output.Terminal(f) {
		a.Progress.Stop()
		return a.In
	}
	counted := &countedReader{Reader: a.In}
	a.Progress.Reading("reading stdin", nil, counted.n.Load)
	return counted
}

type countedReader struct {
	io.Reader
	n atomic.Int64
}

// Read counts bytes.
func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}
