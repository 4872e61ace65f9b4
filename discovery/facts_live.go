package discovery

import (
	"bytes"
	"context"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

const opUpdateFacts = "UpdateFacts"

// UpdateFacts returns this project's newest reviewed prices, retirement dates and other
// facts if they are newer than base, or else base. A nil base means [facts.BuiltIn]. The
// result is never nil:
//
//	newer, err := c.UpdateFacts(ctx, nil)
//	list, registry := prices.Of(newer), models.Of(newer)
//
// Each client sends at most one request in 24 hours, to [ServiceFacts] and without a key.
// After a failure, it sends another one once [WithOutageTTL] has passed. Nothing else in
// this package requests facts. To use a mirror, pass its directory to [WithBaseURL]: the
// client requests [facts.BundleName] there.
//
// It's a [Failure] if a cell is invalid, or if [facts.Facts.Newer] refuses to replace
// base. Getting base's own version again is no failure.
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

// WithFacts sets the facts for [Client.Retirements], and for [Client.LivePrices] if its
// base is nil. The default is [facts.BuiltIn].
func WithFacts(f *facts.Facts) Option {
	return func(c *config) error {
		c.facts = f
		return notNil("f", f != nil)
	}
}
