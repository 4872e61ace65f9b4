// Package app has what every command needs: the streams and the global flags of one run, how it prints, the client of the gateway and that
// of the providers, and the price list. A command gets an [App] and adds its own flags.
package app

import (
	"fmt"
	"io"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// App is one run of the command.
type App struct {
	In        io.Reader
	Out, Errs io.Writer
	Providers []discovery.Option
	Progress  output.Progress

	Flags  profile.Flags
	Format string
	Wide   bool
	// PriceFiles are those of --prices.
	PriceFiles []string
	Settings   func() (profile.Settings, error)
	Token      func() (string, error) // reads the file once: it may be a pipe

	// Client is the client of the gateway, and Args are the arguments, of a command of [App.AsNode] or [App.Observe].
	Client *client.MeshClient
	Args   []string
}

// Print writes value as JSON with -o json, and calls text otherwise.
func (a *App) Print(value any, text func(io.Writer) error) error { return a.printAs(value, "  ", text) }

// PrintTable writes value as JSON with -o json, and rows as a table otherwise.
func (a *App) PrintTable(value any, columns []table.Column, rows [][]string) error {
	return a.Print(value, func(w io.Writer) error { return output.Table(w, columns, rows) })
}

// PrintLine is [App.Print] for a sequence without an end: in JSON each value is one line.
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

// Note prints what the command does on stderr.
func (a *App) Note(line string) {
	a.Progress.Stop()
	fmt.Fprintln(a.Errs, "mesh:", line)
}

// Warn prints what does not end the command.
func (a *App) Warn(err error) {
	a.Progress.Stop()
	fmt.Fprintln(a.Errs, "mesh: warning:", exit.Lines(err))
}
