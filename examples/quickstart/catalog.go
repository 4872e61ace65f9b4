package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func catalog(ctx context.Context, p *page) error {
	c, stop, err := openCatalog(p)
	if err != nil {
		return err
	}
	defer stop()
	list, err := c.ListModels(ctx, discovery.CatalogOptions{})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		p.line("the catalog is empty; the log has the reason")
	} else {
		p.line("%d models, most of them by %s", len(list), inWords(byDeveloper(list)))
	}
	if err := lookUp(ctx, p, c, "gpt-4o"); err != nil {
		return err
	}
	return retiring(ctx, p, c)
}

func openCatalog(p *page) (c *discovery.Client, stop func(), err error) {
	p.section("Models")
	if p.real {
		p.line("the real catalog")
		return discovery.Default(), func() {}, nil
	}
	server := discoverytest.Start()
	p.line("a catalog in memory (-real: the real one)")
	c, err = discovery.New(server.Options()...)
	return c, server.Close, err
}

type developerCount struct {
	name string
	n    int
}

// byDeveloper counts models by developer, highest number first.
func byDeveloper(list []discovery.ModelInfo) []developerCount {
	counts := make(map[string]int)
	for _, m := range list {
		counts[m.Developer]++
	}
	var sorted []developerCount
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if name != "" {
			sorted = append(sorted, developerCount{name, counts[name]})
		}
	}
	slices.SortStableFunc(sorted, func(a, b developerCount) int { return cmp.Compare(b.n, a.n) })
	return sorted
}

func lookUp(ctx context.Context, p *page, c *discovery.Client, alias string) error {
	m, err := c.GetModelInfo(ctx, alias, discovery.CatalogOptions{})
	if err != nil {
		return err
	}
	if m == nil {
		p.line("%s is not in the catalog", alias)
		return nil
	}
	p.line("%s is %s by %s, %s tokens of context", alias, m.ID, m.Developer, orUnknown(m.ContextLength))
	return nil
}

// retiring prints models that retire in the next 60 days, according to the built-in
// registry and, if keys are set, to the providers.
func retiring(ctx context.Context, p *page, c *discovery.Client) error {
	p.section("Retiring within 60 days")
	registry, err := c.Retirements(ctx)
	if err != nil {
		return err
	}
	soon := registry.RetiringWithin(60 * 24 * time.Hour)
	for _, r := range soon[:min(len(soon), 8)] {
		p.line("%s  %-10s %s", r.Date, r.Provider, r.ID)
	}
	if more := len(soon) - 8; more > 0 {
		p.line("and %d more", more)
	}
	if len(soon) == 0 {
		p.line("none is known")
	}
	return nil
}

// inWords names the three developers with the most models.
func inWords(counts []developerCount) string {
	var words []string
	for _, c := range counts[:min(len(counts), 3)] {
		words = append(words, fmt.Sprintf("%s (%d)", c.name, c.n))
	}
	return strings.Join(words, ", ")
}

func orUnknown(n *int64) string {
	if n == nil {
		return "an unknown number of"
	}
	return fmt.Sprint(*n)
}
