package retired

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// retiredNamed prints the state of the models that are named, or all models that retire soon.
func (o *Options) retiredNamed(ctx context.Context, soon time.Duration) error {
	names, err := o.names()
	if err != nil {
		return err
	}
	check, err := o.checker(ctx, soon)
	if err != nil {
		return err
	}
	list, found := []retirement{}, false
	for _, name := range names {
		r := check.first(IDs(name))
		r.Model = name
		if r.State == models.StateUnknown {
			o.suggestModel(name)
		}
		found = found || check.finds(r) || o.failUnknown && r.State == models.StateUnknown
		list = append(list, r)
	}
	if names == nil {
		for _, r := range check.registry.RetiringWithin(soon) {
			list = append(list, retirement{r.Provider, r.ID, check.registry.Check(r.Provider, r.ID, check.today)})
		}
	}
	return cmp.Or(o.printRetirements(list), exit.If(found))
}

// names returns the arguments, in which "-" stands for the lines of stdin.
func (o *Options) names() (names []string, err error) {
	for _, arg := range o.args {
		if arg != "-" {
			names = append(names, arg)
			continue
		}
		text, err := io.ReadAll(o.In)
		if err != nil {
			return nil, exit.Usagef("stdin: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				names = append(names, line)
			}
		}
	}
	if len(o.args) > 0 && len(names) == 0 {
		return nil, exit.Usagef("stdin names no model")
	}
	for _, name := range names {
		if name == "" {
			return nil, exit.Usagef("MODEL must not be empty")
		}
		if isPath(name) {
			return nil, exit.Usagef("%q is a file or folder and not a model; mesh retired --scan finds the models in it", name)
		}
	}
	return names, nil
}

// isPath reports whether a text names a file and cannot be a model. A file may have the name of a model.
func isPath(text string) bool {
	if strings.HasPrefix(text, ".") || filepath.IsAbs(text) {
		return true
	}
	_, isModel := models.ProviderOf(text)
	_, err := os.Stat(text)
	return !isModel && err == nil
}

func (o *Options) printRetirements(list []retirement) error {
	columns := []table.Column{
		table.Plain("PROVIDER", 1), table.Key("MODEL"), output.Marked(o.Out, table.Plain("STATE", 2)), table.Plain("DATE", 3), table.Key("REPLACEMENT"),
	}
	return o.PrintTable(list, columns, table.Rows(list, func(r *retirement) []string {
		return []string{output.Text((*string)(&r.Provider)), r.Model, string(r.State), output.Text(&r.Date), output.Text(&r.Replacement)}
	}))
}

// suggestModel prints the model of the price list that an unknown one is most like.
func (o *Options) suggestModel(unknown string) {
	list, _ := o.PriceTable()
	var names []string
	for _, p := range list.Providers() {
		names = append(names, list.Models(p)...)
	}
	if name := app.Similar(unknown, names); name != "" {
		o.Warn(fmt.Errorf("%s is not known; did you mean %s?", output.Line(unknown), name))
	}
}
