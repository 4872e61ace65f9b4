package main

import (
	"fmt"
	"slices"
	"strings"
)

// wanted is the share of inverted sites that have to be caught, in percent.
const wanted = 90

// result is what became of one mutant of a site.
type result struct {
	site site
	kind string
	outcome
}

// count is how many sites there are, and how many mutants of each kind were caught.
type count struct {
	sites, hung int
	caught      map[string]int
}

func countOf(results []result) count {
	c := count{sites: len(results) / len(kinds), caught: map[string]int{}}
	for _, r := range results {
		if r.caught {
			c.caught[r.kind]++
		}
		if r.hung {
			c.hung++
		}
	}
	return c
}

func (c count) percent(kind string) float64 {
	return 100 * float64(c.caught[kind]) / float64(c.sites)
}

// table is the figures in Markdown, a line for each package of the module. A mutant that hangs counts as caught.
func table(module string, results []result) string {
	var b strings.Builder
	b.WriteString("| package | sites | inverted: caught | | ignored: caught | | hung, of both |\n|---|--:|--:|--:|--:|--:|--:|\n")
	row := func(name string, c count) {
		fmt.Fprintf(&b, "| %s | %d | %d | %.0f %% | %d | %.0f %% | %d |\n", name, c.sites,
			c.caught[inverted], c.percent(inverted), c.caught[ignored], c.percent(ignored), c.hung)
	}
	for rest := results; len(rest) > 0; {
		pkg := rest[0].site.pkg
		n := slices.IndexFunc(rest, func(r result) bool { return r.site.pkg != pkg })
		if n < 0 {
			n = len(rest)
		}
		row(strings.TrimPrefix(pkg, module+"/"), countOf(rest[:n]))
		rest = rest[n:]
	}
	row("all", countOf(results))
	return b.String()
}

// survivors lists the mutants that no test noticed.
func survivors(results []result) string {
	var b strings.Builder
	for _, r := range results {
		if !r.caught {
			fmt.Fprintf(&b, "survived, %s: %s: %s\n", r.kind, r.site.place, r.site.line)
		}
	}
	return b.String()
}

// verdict is an error when too few inverted sites are caught. The ignored ones have no limit.
func verdict(results []result) error {
	if got := countOf(results).percent(inverted); got < wanted {
		return fmt.Errorf("%.1f %% of the inverted sites are caught, of %d %%", got, wanted)
	}
	return nil
}
