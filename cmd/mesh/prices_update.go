package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/atomicfile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/lookup"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// priceList returns the price list of this command and where it is from: that of mesh prices --update, or the built-in one.
func (a *app) priceList() (list *prices.List, from string) {
	list, updated, err := lookup.Table()
	if err != nil {
		a.warn(err)
	}
	if updated {
		return list, "updated"
	}
	return list, "built in"
}

// priceChange is a row that an update adds, changes or removes.
type priceChange struct {
	Kind string                     `json:"kind"`
	Old  *discovery.ProviderPricing `json:"old"`
	New  *discovery.ProviderPricing `json:"new"`
}

// row returns the new row, or the one that is removed.
func (c priceChange) row() *discovery.ProviderPricing {
	if c.New == nil {
		return c.Old
	}
	return c.New
}

// updateResult is what mesh prices --update prints.
type updateResult struct {
	AsOf    string        `json:"as_of"`
	Stored  bool          `json:"stored"`
	Changes []priceChange `json:"changes"`
}

// updatePrices gets the newest price table, prints what changed and stores it.
func (a *app) updatePrices(ctx context.Context, dryRun bool) error {
	before, _ := a.priceList()
	c, failures := a.discover()
	list, err := c.UpdatePrices(ctx, before)
	if err != nil {
		return err
	}
	if len(failures.list()) > 0 {
		return fmt.Errorf("%w; the price table of %s stays in use", noAnswer(failures), before.AsOf().Format(time.DateOnly))
	}
	result := updateResult{AsOf: list.AsOf().Format(time.DateOnly), Changes: priceChanges(pricingsOf(before.Rows("")), pricingsOf(list.Rows("")))}
	if !dryRun && list.AsOf().After(prices.BuiltIn().AsOf()) {
		if err := storePrices(list); err != nil {
			return err
		}
		result.Stored = true
	}
	return a.print(result, func(w io.Writer) error { return result.table(w, before.AsOf()) })
}

func (u updateResult) table(w io.Writer, before time.Time) error {
	rows := make([][]string, len(u.Changes))
	for i, c := range u.Changes {
		row := c.row()
		rows[i] = []string{
			c.Kind, string(row.Provider), row.ModelHint, output.Text(&row.Mode), output.Text(row.ValidFrom), output.Text(row.ValidUntil),
			oldNew(c, func(p *discovery.ProviderPricing) *float64 { return p.InputPerMTok }),
			oldNew(c, func(p *discovery.ProviderPricing) *float64 { return p.CacheReadPerMTok }),
			oldNew(c, func(p *discovery.ProviderPricing) *float64 { return p.OutputPerMTok }),
		}
	}
	if len(rows) > 0 {
		if err := output.Table(w, []string{"CHANGE", "PROVIDER", "MODEL", "MODE", "FROM", "UNTIL", "INPUT", "CACHE READ", "OUTPUT"}, rows); err != nil {
			return err
		}
	}
	stored := ""
	if !u.Stored {
		stored = "; nothing was stored"
	}
	_, err := fmt.Fprintf(w, "%d prices changed; the table was of %s and is of %s%s\n", len(rows), before.Format(time.DateOnly), u.AsOf, stored)
	return err
}

// oldNew returns "old > new", or the price that did not change.
func oldNew(c priceChange, cell func(*discovery.ProviderPricing) *float64) string {
	if c.Old == nil || c.New == nil {
		return output.USD(cell(c.row()))
	}
	before, after := output.USD(cell(c.Old)), output.USD(cell(c.New))
	if before == after {
		return after
	}
	return before + " > " + after
}

// priceKey is what a row has the price of.
type priceKey struct {
	provider              models.Provider
	model, mode, modality string
	threshold             int64
	from                  string
}

func keyOf(p *discovery.ProviderPricing) priceKey {
	key := priceKey{p.Provider, p.ModelHint, p.Mode, p.Modality, p.TierThresholdTokens, ""}
	if p.ValidFrom != nil {
		key.from = *p.ValidFrom
	}
	return key
}

// priceChanges returns the rows that differ in a price or in the end of its period, in the order of the new list.
func priceChanges(before, after []discovery.ProviderPricing) []priceChange {
	old := make(map[priceKey]*discovery.ProviderPricing, len(before))
	for i := range before {
		old[keyOf(&before[i])] = &before[i]
	}
	changes := []priceChange{}
	for i := range after {
		key := keyOf(&after[i])
		switch was := old[key]; {
		case was == nil:
			changes = append(changes, priceChange{"added", nil, &after[i]})
		case !samePrices(was, &after[i]):
			changes = append(changes, priceChange{"changed", was, &after[i]})
		}
		delete(old, key)
	}
	for i := range before {
		if old[keyOf(&before[i])] != nil {
			changes = append(changes, priceChange{"removed", &before[i], nil})
		}
	}
	return changes
}

// samePrices reports whether the rows differ in their source or verification alone.
func samePrices(a, b *discovery.ProviderPricing) bool {
	x, y := *a, *b
	x.Source, x.VerifiedAt, y.Source, y.VerifiedAt = "", nil, "", nil
	return reflect.DeepEqual(x, y)
}

// storePrices replaces the file of the price table.
func storePrices(list *prices.List) error {
	var text bytes.Buffer
	if err := list.Save(&text); err != nil {
		return err
	}
	name, err := lookup.TableFile()
	if err == nil {
		err = atomicfile.Write(name, text.Bytes())
	}
	if err != nil {
		return failedf("the price table cannot be stored: %w", err)
	}
	return nil
}
