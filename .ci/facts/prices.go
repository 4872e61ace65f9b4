package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// patterns has one table line's model ids. An id that ends in * is a prefix.
type patterns struct {
	table, provider string
	models          []string
}

// prices indexes the tables.
type prices struct {
	priced, listed map[string]bool // keyed by provider/id
	// searches are the known search fees. others are all lines with fees, factors and
	// regions.
	searches, others []patterns
}

func readPrices(dir string) (*prices, error) {
	p := &prices{priced: make(map[string]bool), listed: make(map[string]bool)}
	for _, name := range []string{"prices.csv", "fees.csv", "factors.csv", "regions.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "provider,") {
				p.add(name, strings.Split(strings.TrimSpace(line), ","))
			}
		}
	}
	return p, nil
}

func (p *prices) add(table string, cells []string) {
	switch table {
	case "prices.csv":
		id := cells[0] + "/" + cells[1]
		p.listed[id] = true
		p.priced[id] = p.priced[id] || cells[3] != "" || cells[7] != ""
	case "fees.csv":
		line := patterns{table, cells[0], strings.Split(cells[4], ";")}
		p.others = append(p.others, line)
		if search := cells[1] == "web_search" || cells[1] == "grounding"; search && cells[3] != "" {
			p.searches = append(p.searches, line)
		}
	default:
		p.others = append(p.others, patterns{table, cells[0], strings.Split(cells[3], ";")})
	}
}

// checkModels reports whether the price table has all models that have fees, factors
// and regions. It prints the missing ones.
func (p *prices) checkModels(w io.Writer) bool {
	ok := true
	for _, line := range p.others {
		for _, model := range line.models {
			one := patterns{provider: line.provider, models: []string{model}}
			if model == "*" || p.lists(&one) {
				continue
			}
			ok = false
			fmt.Fprintf(w, "%s: %s: %s is not in the price table\n", line.table, line.provider, model)
		}
	}
	return ok
}

func (p *prices) lists(line *patterns) bool {
	for id := range p.listed {
		if line.match(id) {
			return true
		}
	}
	return false
}

// match expects provider/id.
func (l *patterns) match(id string) bool {
	return slices.ContainsFunc(l.models, func(model string) bool {
		beginning, open := strings.CutSuffix(l.provider+"/"+model, "*")
		return id == beginning || (open && strings.HasPrefix(id, beginning))
	})
}

// coverage prints how many SDK ids have a price, and how many have a search fee.
func (p *prices) coverage(w io.Writer, provider string, found map[string]bool) {
	priced, searched := 0, 0
	for name := range found {
		id := provider + "/" + name
		if p.priced[id] {
			priced++
		}
		if slices.ContainsFunc(p.searches, func(l patterns) bool { return l.match(id) }) {
			searched++
		}
	}
	fmt.Fprintf(w, "%s: %d of %d ids have a price, %d the fee of a search\n", provider, priced, len(found), searched)
}
