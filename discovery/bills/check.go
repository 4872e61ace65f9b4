package bills

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

func check(b *Bill, counted []Counted) error {
	if _, err := models.ParseProvider(string(b.Provider)); err != nil {
		return err
	}
	switch {
	case !b.From.Before(b.To):
		return invalid("To", b.To.Format(time.RFC3339), "must be after From")
	case !(b.LimitPercent >= 0) || new(big.Rat).SetFloat64(b.LimitPercent) == nil: // NaN and infinity, too
		return invalid("LimitPercent", strconv.FormatFloat(b.LimitPercent, 'g', -1, 64), "must be finite and not negative")
	}
	for i := range b.Items {
		if item := &b.Items[i]; !isDay(item.Day) || !isUSD(item.USD) {
			return invalid("Items", "", "must have a day such as 2026-11-21 and a plain decimal")
		}
	}
	for i := range counted {
		if err := counted[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Counted) check() error {
	switch {
	case !isDay(c.Day) || c.USD != "" && !isUSD(c.USD) || c.FeesUSD != "" && !isUSD(c.FeesUSD):
		return invalid("Counted", "", "must have a day such as 2026-11-21 and plain decimals")
	case c.Unpriced < 0 || c.Calls < c.Unpriced:
		return invalid("Counted.Unpriced", strconv.Itoa(c.Unpriced), "must be between 0 and Calls")
	}
	for _, n := range (*usage.Usage)(&c.Usage).Counts() {
		if *n < 0 {
			return invalid("Counted.Usage", "", "must not be negative")
		}
	}
	return nil
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func isUSD(usd prices.USD) bool {
	_, ok := decimal.ParsePlain(strings.TrimPrefix(string(usd), "-"))
	return ok
}
