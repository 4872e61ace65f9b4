package discovery

import (
	"bytes"
	"context"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

const opUpdateFacts = "UpdateFacts"

// UpdateFacts returns the newest reviewed facts of this project if they are newer than
// base, and base otherwise. A nil base is [facts.BuiltIn]. The result is never nil. Pass
// it to prices.Of, models.Of or [WithFacts].
//
// It sends one request to [ServiceFacts], without a key, at most once in 24 hours for
// each client; after a failure again when [WithOutageTTL] has passed. Nothing else in
// this package requests facts. [WithBaseURL] sets the directory of a mirror, to which
// /facts-1.txt is appended.
//
// Facts of which one cell is wrong, and those that base must not be replaced with
// ([facts.Facts.Newer]), are a [Failure]. The same version isn't one.
func (c *Client) UpdateFacts(ctx context.Context, base *facts.Facts) (*facts.Facts, error) {
	if base == nil {
		base = facts.BuiltIn()
	}
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	r := newRequest(opUpdateFacts, ServiceFacts, Secret{}, listTimeout)
	sent, failure := readListing(ctx, c, &c.received, r, PricingOptions{}, func(ctx context.Context, _ *facts.Facts) (*facts.Facts, *Failure) {
		return c.readFacts(ctx, r)
	})
	if failure != nil {
		return base, c.report(ctx, failure)
	}
	if sent.prices.Version() == base.Version() {
		return base, nil
	}
	if err := sent.prices.Newer(base); err != nil {
		return base, c.report(ctx, r.partial(err))
	}
	return sent.prices, nil
}

func (c *Client) readFacts(ctx context.Context, r request) (*facts.Facts, *Failure) {
	return fetchAs(ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL(ServiceFacts)+"/"+facts.BundleName, http.NoBody)
		if err != nil {
			return nil, err
		}
		return userAgent{c.http}.Do(req)
	}, func(body []byte) (*facts.Facts, error) { return facts.Read(bytes.NewReader(body)) })
}

// WithFacts sets the facts of [Client.Retirements] and of [Client.LivePrices] without a
// base. The default is [facts.BuiltIn].
func WithFacts(f *facts.Facts) Option {
	return func(c *config) error {
		if f == nil {
			return invalid("f", "", "must not be nil")
		}
		c.facts = f
		return nil
	}
}
