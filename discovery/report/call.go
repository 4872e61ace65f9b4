package report

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// call is a record with what is computed of it once.
type call struct {
	calls.Record
	id  ModelID
	day int64
	// usd is the cost if it is known, and more a lower bound if it is bounded.
	usd, more      decimal.Decimal
	known, bounded bool
	// failed and counted are those of Sum.
	failed, counted bool
	// subscribed reports whether the cost is a list price and not a charge.
	subscribed bool
	// priced is the call as a price list takes it. Its counts are valid if used is set.
	priced prices.Call
	used   bool

	input, cached, written, output int64
}

var (
	errTime   = errors.New("the time of a record is missing")
	errAmount = errors.New("an amount of a record is not a plain decimal")
	errOwner  = errors.New("the provider of a record cannot be determined")
	errUsage  = errors.New("usage is missing, and so is the cost")
)

// read reads a record. An error contains nothing of it.
func (c *call) read(r *calls.Record, list *prices.List, reprice bool) error {
	*c = call{Record: *r}
	c.Time = c.Time.UTC()
	if c.Time.IsZero() {
		return errTime
	}
	if c.Provider == "" && c.Platform == "" {
		p, ok := models.ProviderOf(c.Model)
		if !ok {
			return errOwner
		}
		c.Provider = p
	}
	c.id = ModelID{Provider: models.Provider(cut(string(c.Provider))), Platform: cut(c.Platform), Model: cut(c.Model)}
	c.day = calendar.DayNumber(c.Time)
	usageErr := c.readUsage()
	if reprice && c.used {
		c.forget()
	}
	if err := c.price(list, usageErr); err != nil {
		return err
	}
	if err := c.readAmounts(); err != nil {
		return err
	}
	noResponse := c.Status == 0 && c.Unpriced != "" && c.Usage == nil
	c.failed = noResponse || (c.Status != 0 && !endpoints.Bills(c.Status))
	c.counted = c.known && !c.failed
	c.subscribed = c.Billing == "subscription"
	return nil
}

// readUsage reads the counts.
func (c *call) readUsage() (err error) {
	c.priced, err = c.Record.Call()
	switch {
	case c.Usage == nil:
		return errUsage
	case err == nil:
		c.count()
	}
	return err
}

// price prices a call that has no cost yet. usageErr is why it has no counts.
func (c *call) price(list *prices.List, usageErr error) error {
	if c.USD != "" || c.Unpriced != "" {
		return nil
	}
	if usageErr != nil {
		return usageErr
	}
	cost, err := list.CostOf(c.priced)
	if errors.Is(err, prices.ErrUnpriced) {
		c.Unpriced = err.Error()
		return nil
	}
	c.USD = cost.USD
	return err
}

// forget removes the recorded cost of a call that can be priced again from its counts.
func (c *call) forget() {
	host := endpoints.Endpoint{Form: modelid.FormOf(c.API, string(c.priced.Provider)), Platform: c.Platform}
	whole := c.Complete || c.Path == "" && c.AtLeastUSD == "" && c.Unpriced == ""
	if c.Model != "" && whole && host.Counts(c.Path, c.Status) {
		c.USD, c.AtLeastUSD, c.Unpriced = "", "", ""
	}
}

// count sets the counts of tokens.
func (c *call) count() {
	c.used = true
	u := &c.priced.Usage
	c.cached = u.CacheRead + u.AudioCacheRead + u.ImageCacheRead
	c.written = u.CacheWrite5m + u.CacheWrite1h
	c.input = u.Input + u.ToolInput + u.AudioInput + u.ImageInput + c.cached + c.written
	c.output = u.Output + u.AudioOutput + u.ImageOutput
}

// readAmounts parses the cost, or its lower bound.
func (c *call) readAmounts() (err error) {
	switch {
	case c.USD != "":
		c.usd, c.known = decimal.ParsePlain(c.USD)
		if !c.known {
			err = errAmount
		}
	case c.AtLeastUSD != "":
		c.more, c.bounded = decimal.ParsePlain(c.AtLeastUSD)
		if !c.bounded {
			err = errAmount
		}
	}
	return err
}

// thread returns the name of the thread of a call; "" without one.
func (c *call) thread() string {
	if name := c.Labels[labelThread]; name != "" {
		return name
	}
	return c.Labels[labelThreadID]
}
