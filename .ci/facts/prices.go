package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// patterns are the ids of models of a provider, or beginnings of ids that end in *, in one line of a table.
type patterns struct {
	table, provider string
	models          []string
}

// prices is what the price table, and the tables of fees, factors and regions have.
type prices struct {
	priced, listed map[string]bool // by provider/id
	// searches are the known fees of searches; others are the models of all lines of fees, factors and regions.
	searches, others []patterns
}

// readPrices reads the tables of prices, fees, factors and regions.
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

// add adds a line of a table.
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

// checkModels prints the models of fees, factors and regions that the price table does not have, and reports whether it has all.
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

// match reports whether a provider/id is one of the line.
func (l *patterns) match(id string) bool {
	return slices.ContainsFunc(l.models, func(model string) bool {
		beginning, open := strings.CutSuffix(l.provider+"/"+model, "*")
		return id == beginning || (open && strings.HasPrefix(id, beginning))
	})
}

// coverage prints how many ids of an SDK have a price and the fee of a search.
func (p *prices) coverage(w io.Writer, provider string, found map[string]string) {
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
