package meter

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/label"
)

// Meter counts calls. Create one with [New]. Any other, such as the zero Meter, counts nothing: its errors, and the errors of requests with
// its [Meter.Transport], are a [*ValueError].
type Meter struct {
	prices      *prices.List
	hosts       map[string]endpoints.Endpoint // those of the options
	regions     map[string]string             // by platform, for its official hosts
	recorders   []func(calls.Record)
	streamUsage bool
	chargesOnly bool // budgets do not count subscriptions
	strict      bool // budgets refuse what follows unread
	logger      *slog.Logger
	totals      *calls.Totals

	mu      sync.Mutex
	budgets []*account
	warn    func(BudgetWarning)
	others  map[*calls.Log]iter.Seq2[calls.Record, error]
	ignored int
	logged  map[string]bool // hosts that are not known, and models with calls whose cost is not known
	held    map[string]held // by the ids of responses in the background
	heldIDs []string        // the oldest first
	unread  error           // of a line or a file that Follow has met
	seen    once.Seen       // calls that were counted
}

// Spent is what a [Meter] has counted since it was made, earlier records of [Meter.Restore] included.
type Spent struct {
	// USD is the exact sum of the costs that are known, in US dollars, as a plain decimal.
	USD prices.USD `json:"usd"`
	// AtLeastUSD is USD and what the other calls cost at least, as far as that is known ([calls.Record].BoundUSD).
	AtLeastUSD prices.USD `json:"at_least_usd"`
	// Calls is the number of records.
	Calls int `json:"calls"`
	// Unpriced is the number of records without a cost.
	Unpriced int `json:"unpriced"`
	// Ignored is the number of requests to hosts that the Meter does not know. They have no record and are not counted in Calls. Those
	// that call a model cost Budget.PerCall, where it is set.
	Ignored int `json:"ignored"`
}

// String returns a line such as "0.0345 USD; calls: 3, unpriced: 1 (at least 0.05 USD), ignored: 0".
func (s Spent) String() string {
	text := fmt.Sprintf("%s USD; calls: %d, unpriced: %d", cmp.Or(s.USD, "0"), s.Calls, s.Unpriced)
	if s.AtLeastUSD != s.USD {
		text += fmt.Sprintf(" (at least %s USD)", s.AtLeastUSD)
	}
	return fmt.Sprintf("%s, ignored: %d", text, s.Ignored)
}

// New returns a Meter. It prices calls with the built-in price list, unless [WithPrices] sets another one. Wrong options are a
// [*ValueError].
func New(opts ...Option) (*Meter, error) {
	totals, _ := calls.NewTotals()
	m := &Meter{
		prices: prices.BuiltIn(), hosts: map[string]endpoints.Endpoint{}, regions: map[string]string{}, logger: slog.Default(), totals: totals,
		others: map[*calls.Log]iter.Seq2[calls.Record, error]{}, logged: map[string]bool{}, held: map[string]held{}, seen: once.Seen{Most: maxSeen},
	}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt((*config)(m)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// ready rejects a Meter that New did not return.
func (m *Meter) ready() error {
	if m == nil || m.prices == nil {
		return invalid("Meter", "", "must be made with meter.New")
	}
	return nil
}

// Client returns an HTTP client that uses the default transport of net/http and counts its calls.
func (m *Meter) Client() *http.Client { return &http.Client{Transport: m.Transport(nil)} }

// Transport returns a transport that sends requests with base and counts them; nil is [http.DefaultTransport].
func (m *Meter) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{meter: m, base: base}
}

// Spent returns what was counted until now.
func (m *Meter) Spent() Spent {
	spent := Spent{USD: "0", AtLeastUSD: "0"}
	if m.ready() != nil {
		return spent
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	spent.Ignored = m.ignored
	totals, _ := calls.NewTotals()
	totals.Merge(m.totals)
	for _, h := range m.held {
		if h.broken != nil {
			_ = totals.Add(*h.broken)
		}
	}
	for _, g := range totals.Groups() { // at most one
		spent.USD, spent.AtLeastUSD, spent.Calls, spent.Unpriced = g.USD, g.AtLeastUSD, g.Calls, g.Unpriced
	}
	return spent
}

// endpoint returns what is known of a host, with its port or without.
func (m *Meter) endpoint(u *url.URL) (endpoints.Endpoint, bool) {
	for _, host := range [...]string{u.Host, u.Host + ":443", u.Hostname()} {
		if e, ok := m.hosts[strings.ToLower(host)]; ok {
			return e, true
		}
	}
	e, ok := official(u.Host)
	if region := m.regions[e.Platform]; region != "" {
		e.Region = region
	}
	return e, ok
}

// ignore counts a request to an unknown host, and logs the host when it is new.
func (m *Meter) ignore(host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ignored++
	if m.isNew(host) {
		m.logger.Warn("meter: calls to this host are not counted; WithEndpoint names its provider", "host", host)
	}
}

// warnUnpriced logs the first call of a model whose cost is not known.
func (m *Meter) warnUnpriced(r *calls.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isNew(r.Platform + "/" + string(r.Provider) + "/" + r.Model) {
		m.logger.Warn("meter: the cost of a call is not known, and perhaps that of others of its model", "provider", r.Provider, "platform", r.Platform, "model", argument.Shown(r.Model), "reason", r.Unpriced)
	}
}

// isNew reports whether a host or a model is to be logged, which it is once.
func (m *Meter) isNew(name string) bool {
	const most = 200
	if m.logged[name] || len(m.logged) >= most {
		return false
	}
	m.logged[name] = true
	return true
}

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

// WithFacts sets the facts that price calls: [WithPrices] with their list.
func WithFacts(f *facts.Facts) Option {
	return func(m *config) error {
		if f == nil {
			return invalid("f", "", "must not be nil")
		}
		m.prices = prices.Of(f)
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

// ValueError reports an invalid argument. Its fields are Field, the Go name of the argument, or of the field in it;
// Value, the argument, or "" if it could be a secret; and Reason, what it must be. The text of the error has all three. It matches
// client.ErrMesh. It is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("meter", field, value, reason) }

// WithLabel returns a context whose calls have a label. A label of the same name replaces the one of ctx. A handler of package client
// has the label "thread" if its message is in a named thread.
func WithLabel(ctx context.Context, name, value string) context.Context {
	return label.With(ctx, name, value)
}

// HostProvider returns the provider of an official host, such as "api.openai.com" or "eu.api.openai.com:443", and reports whether
// the host is one. The provider is "" for the hosts of OpenRouter, Bedrock, Vertex and Azure. These are the hosts that a Meter knows
// without [WithEndpoint].
func HostProvider(host string) (models.Provider, bool) {
	e, ok := official(host)
	return models.Provider(e.Provider), ok
}

// official returns what is known of an official host, with its port or without.
func official(host string) (endpoints.Endpoint, bool) {
	if strings.Contains(host, ":") { // an error of SplitHostPort allocates
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
	}
	return endpoints.OfHost(strings.TrimSuffix(host, "."))
}
