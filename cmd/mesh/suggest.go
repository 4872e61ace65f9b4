package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

// maxEdits is the number of letters in which a suggestion may differ.
const maxEdits = 2

// similarFlag returns the flag of a command whose name is most like one that is unknown; "" if there is none.
func similarFlag(cmd *cobra.Command, name string) string {
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return similar(name, names)
}

// suggestModel prints the model of the price list that an unknown one is most like.
func (a *app) suggestModel(unknown string) {
	list, _ := a.priceTable()
	var names []string
	for _, p := range list.Providers() {
		names = append(names, list.Models(p)...)
	}
	if name := similar(unknown, names); name != "" {
		a.warn(fmt.Errorf("%s is not known; did you mean %s?", output.Line(unknown), name))
	}
}

// similar returns the name that differs least from an unknown one, and by at most maxEdits letters and a third of it; "" if there is none.
func similar(unknown string, names []string) (best string) {
	least := min(maxEdits, len(unknown)/3) + 1
	for _, name := range names {
		if n := editdistance.Of(unknown, name); n < least {
			best, least = name, n
		}
	}
	return best
}
