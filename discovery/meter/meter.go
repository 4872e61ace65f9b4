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

// Meter counts calls. Create one with [New]. Any other Meter, such as the zero value,
// counts nothing: its errors, and errors from requests with its [Meter.Transport], are
// a [*ValueError].
type Meter struct {
	prices      *prices.List
	hosts       map[string]endpoints.Endpoint
	regions     map[string]string // by platform, for its official hosts
	recorders   []func(calls.Record)
	streamUsage bool
	chargesOnly bool // budgets ignore subscriptions
	strict      bool // budgets refuse all calls after unread
	logger      *slog.Logger
	totals      *calls.Totals

	mu      sync.Mutex
	budgets []*account
	warn    func(BudgetWarning)
	others  map[*calls.Log]iter.Seq2[calls.Record, error]
	ignored int
	logged  map[string]bool // unknown hosts, and models with unpriced calls
	held    map[string]held // response id in the background -> reservation
	heldIDs []string        // oldest first
	unread  error           // an error from Follow, if strict
	seen    once.Seen       // counted calls
}

// Spent has a [Meter]'s counts since it was made, including records from
// [Meter.Restore].
type Spent struct {
	// USD is the exact sum over the known costs, in US dollars, as a plain decimal.
	USD prices.USD `json:"usd"`
	// AtLeastUSD is USD plus the known lower bounds for other calls
	// ([calls.Record].BoundUSD).
	AtLeastUSD prices.USD `json:"at_least_usd"`
	// Calls counts the records.
	Calls int `json:"calls"`
	// Unpriced counts the records without a cost.
	Unpriced int `json:"unpriced"`
	// Ignored counts requests to unknown hosts. They aren't recorded, and Calls doesn't
	// include them. If they call a model, they cost Budget.PerCall where it's set.
	Ignored int `json:"ignored"`
}

// String returns a line such as "0.0345 USD; calls: 3, unpriced: 1 (at least 0.05 USD),
// ignored: 0".
func (s Spent) String() string {
	text := fmt.Sprintf("%s USD; calls: %d, unpriced: %d", cmp.Or(s.USD, "0"), s.Calls, s.Unpriced)
	if s.AtLeastUSD != s.USD {
		text += fmt.Sprintf(" (at least %s USD)", s.AtLeastUSD)
	}
	return fmt.Sprintf("%s, ignored: %d", text, s.Ignored)
}

// New returns a Meter. It prices calls with the built-in price list unless [WithPrices]
// sets another. Wrong options are a [*ValueError].
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

// ready rejects a Meter that wasn't made with New.
func (m *Meter) ready() error {
	if m == nil || m.prices == nil {
		return invalid("Meter", "", "must be made with meter.New")
	}
	return nil
}

// Client returns an HTTP client that uses net/http's default transport and counts its
// calls.
func (m *Meter) Client() *http.Client { return &http.Client{Transport: m.Transport(nil)} }

// Transport returns a transport that sends requests with base and counts them. If base
// is nil, it's [http.DefaultTransport].
func (m *Meter) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{meter: m, base: base}
}

// Spent returns the counts so far.
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
	for _, g := range totals.Groups() { // at most one group
		spent.USD, spent.AtLeastUSD, spent.Calls, spent.Unpriced = g.USD, g.AtLeastUSD, g.Calls, g.Unpriced
	}
	return spent
}

// endpoint accepts hosts with or without a port.
func (m *Meter) endpoint(u *url.URL) (endpoints.Endpoint, bool) {
	if e, ok := m.named(u); ok {
		return e, true
	}
	e, ok := official(u.Host)
	if region := m.regions[e.Platform]; region != "" {
		e.Region = region
	}
	return e, ok
}

// named returns the endpoint from WithEndpoint, if there is one.
func (m *Meter) named(u *url.URL) (endpoints.Endpoint, bool) {
	if len(m.hosts) > 0 {
		for _, host := range [...]string{u.Host, u.Host + ":443", u.Hostname()} {
			if e, ok := m.hosts[strings.ToLower(host)]; ok {
				return e, true
			}
		}
	}
	return endpoints.Endpoint{}, false
}

// ignore counts a request to an unknown host, and logs each host once.
func (m *Meter) ignore(host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ignored++
	if m.isNew(host) {
		m.logger.Warn("meter: calls to this host are not counted; WithEndpoint names its provider", "host", host)
	}
}

// warnUnpriced logs a model's first unpriced call.
func (m *Meter) warnUnpriced(r *calls.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isNew(r.Platform + "/" + string(r.Provider) + "/" + r.Model) {
		m.logger.Warn("meter: unknown cost for a call, and perhaps for others with its model", "provider", r.Provider, "platform", r.Platform, "model", argument.Shown(r.Model), "reason", r.Unpriced)
	}
}

// isNew limits logging to once per name.
func (m *Meter) isNew(name string) bool {
	const most = 200
	if m.logged[name] || len(m.logged) >= most {
		return false
	}
	m.logged[name] = true
	return true
}

// Option configures a Meter made by [New]. A nil Option is ignored.
type Option func(*config) error

// config keeps options from changing a Meter after New returns.
type config Meter

// WithPrices sets the price list. The default is [prices.BuiltIn].
func WithPrices(list *prices.List) Option {
	return func(m *config) error {
		if list == nil {
			return invalid("list", "", "must not be nil")
		}
		m.prices = list
		return nil
	}
}

// WithFacts is short for WithPrices(prices.Of(f)).
func WithFacts(f *facts.Facts) Option {
	return func(m *config) error {
		if f == nil {
			return invalid("f", "", "must not be nil")
		}
		m.prices = prices.Of(f)
		return nil
	}
}

// WithRecorder adds a function that gets each record once.
//
// The function runs on the goroutine that reads the response's final event or end, or
// closes it, before that Read or Close returns. It must be safe for concurrent use. If
// it panics, the panic is logged and the response isn't affected.
func WithRecorder(record func(calls.Record)) Option {
	return func(m *config) error {
		if record == nil {
			return invalid("record", "", "must not be nil")
		}
		m.recorders = append(m.recorders, record)
		return nil
	}
}

// WithBudget adds a budget. If a call would exceed any budget, it's refused: it gets a
// response with status 402, whose body ends with a [*BudgetError].
func WithBudget(b Budget) Option {
	return func(m *config) error {
		a, err := newAccount(b)
		m.budgets = append(m.budgets, a)
		return err
	}
}

// WithChargesOnly makes budgets count only charged calls. Subscription calls, whose
// cost is a list price ([calls.Record].Billing), then cost the budgets nothing and are
// never refused. By default they count.
func WithChargesOnly() Option {
	return func(m *config) error {
		m.chargesOnly = true
		return nil
	}
}

// WithStrict makes the budgets refuse every call after [Meter.Follow] met an unreadable
// line or file, since its cost is unknown. By default such a line costs nothing.
func WithStrict() Option {
	return func(m *config) error {
		m.strict = true
		return nil
	}
}

// WithStreamUsage sets stream_options.include_usage in OpenAI chat streams, unless the
// request sets it. Otherwise such streams have no counts.
//
// The caller sees an extra event at the end, and "usage":null in the others. The
// request body is held in memory.
func WithStreamUsage() Option {
	return func(m *config) error {
		m.streamUsage = true
		return nil
	}
}

// WithLogger sets the logger. The default is [slog.Default]. The Meter logs panics in
// recorders and, once each, unknown hosts and models with unpriced calls.
func WithLogger(logger *slog.Logger) Option {
	return func(m *config) error {
		if logger == nil {
			return invalid("logger", "", "must not be nil")
		}
		m.logger = logger
		return nil
	}
}

// ValueError reports an invalid argument: Field is the argument's Go name, or the field
// in it. Value is the argument, or "" if it could be a secret. Reason is the
// requirement. The error text has all three. It matches client.ErrMesh. Packages client
// and discovery have the same type.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("meter", field, value, reason) }

// WithLabel returns a context whose calls have a label. It replaces any label with the
// same name. In a handler for package client/agent, the context already has the label
// "thread" if the message is in a named thread.
func WithLabel(ctx context.Context, name, value string) context.Context {
	return label.With(ctx, name, value)
}

// HostProvider returns the provider of an official host, such as "api.openai.com" or
// "eu.api.openai.com:443". It reports whether the host is official: known to a Meter
// without [WithEndpoint]. For OpenRouter, Bedrock, Vertex and Azure hosts the provider
// is "". A proxy can use it to decide which connections it decrypts for a Meter.
func HostProvider(host string) (models.Provider, bool) {
	e, ok := official(host)
	return models.Provider(e.Provider), ok
}

// official accepts hosts with or without a port.
func official(host string) (endpoints.Endpoint, bool) {
	if strings.Contains(host, ":") { // SplitHostPort would allocate an error
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
	}
	return endpoints.OfHost(strings.TrimSuffix(host, "."))
}
