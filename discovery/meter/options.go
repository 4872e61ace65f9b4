package meter

import (
	"log/slog"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Option is an option of [New]. A nil Option is ignored.
type Option func(*config) error

// config is a meter that is being made, so that no option can change a finished one.
type config Meter

// WithPrices sets the price list of the calls. The default is [prices.BuiltIn].
func WithPrices(list *prices.List) Option {
	return func(m *config) error {
		if list == nil {
			return invalid("list", "", "must not be nil")
		}
		m.prices = list
		return nil
	}
}

// WithRecorder adds a function that gets each record once, on the goroutine that reads the final event or the end of the
// response, or closes it, before that read or Close returns. It must be safe for concurrent use. If it panics, the panic is
// logged and the response is not affected.
func WithRecorder(record func(calls.Record)) Option {
	return func(m *config) error {
		if record == nil {
			return invalid("record", "", "must not be nil")
		}
		m.recorders = append(m.recorders, record)
		return nil
	}
}

// WithBudget adds a budget. A call that exceeds one of several budgets is refused: it gets a response with status 402, the body of
// which ends with a [*BudgetError].
func WithBudget(b Budget) Option {
	return func(m *config) error {
		a, err := newAccount(b)
		m.budgets = append(m.budgets, a)
		return err
	}
}

// WithChargesOnly makes budgets count only what is charged. Calls of a subscription, whose cost is a list price
// ([calls.Record].Billing), then cost them nothing and are never refused. They count by default.
func WithChargesOnly() Option {
	return func(m *config) error {
		m.chargesOnly = true
		return nil
	}
}

// WithStrict makes the budgets refuse every call after [Meter.Follow] has met a line or a file that it cannot read, since what that costs is
// not known. By default such a line costs nothing.
func WithStrict() Option {
	return func(m *config) error {
		m.strict = true
		return nil
	}
}

// WithStreamUsage sets stream_options.include_usage in chat streams of OpenAI, unless the request has it: without it such a stream
// has no counts. The caller sees an additional event at the end, and "usage":null in the others. The body of the request is
// held in memory for it.
func WithStreamUsage() Option {
	return func(m *config) error {
		m.streamUsage = true
		return nil
	}
}

// WithLogger sets the logger for recorders that panic and, once for each, for hosts that are not known and for models with calls
// whose cost is not known. The default is [slog.Default].
func WithLogger(logger *slog.Logger) Option {
	return func(m *config) error {
		if logger == nil {
			return invalid("logger", "", "must not be nil")
		}
		m.logger = logger
		return nil
	}
}
