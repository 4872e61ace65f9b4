package report

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// call is a record with what is computed of it once.
type call struct {
	calls.Record
	id  ModelID
	day int64
	// usd is the cost if it is known, and more a lower bound if it is bounded.
	usd, more      decimal.Decimal
	known, bounded bool
	// counted is that of Sum.
	counted bool

	input, cached, written, output int64
}

var (
	errTime  = errors.New("the time of a record is missing")
	errOwner = errors.New("the provider of a record cannot be determined")
)

// read reads a record. An error contains nothing of it.
func (c *call) read(one *calls.Record) error {
	if one.Time.IsZero() {
		return errTime
	}
	if one.Provider == "" && one.Platform == "" {
		return errOwner
	}
	*c = call{Record: *one}
	c.id = ModelID{Provider: models.Provider(cut(string(c.Provider))), Platform: cut(c.Platform), Model: cut(c.Model)}
	c.day = calendar.DayNumber(c.Time)
	c.usd, c.known = decimal.ParsePlain(c.USD)
	c.more, c.bounded = decimal.ParsePlain(c.BoundUSD)
	c.counted = c.known && !c.Failed() && !c.WithoutLine
	if c.HasCounts {
		c.count()
	}
	return nil
}

// count sets the counts of tokens.
func (c *call) count() {
	u := &c.Counts
	c.cached = u.CacheRead + u.AudioCacheRead + u.ImageCacheRead + u.VideoCacheRead
	c.written = u.CacheWrite5m + u.CacheWrite1h
	c.input = u.Input + u.ToolInput + u.AudioInput + u.ImageInput + u.VideoInput + c.cached + c.written
	c.output = u.Output + u.AudioOutput + u.ImageOutput
}

// thread returns the name of the thread of a call; "" without one.
func (c *call) thread() string {
	if name := c.Labels[labelThread]; name != "" {
		return name
	}
	return c.Labels[labelThreadID]
}
