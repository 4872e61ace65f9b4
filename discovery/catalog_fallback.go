package discovery

import (
	"context"
	"errors"
	"sync"
)

// fallback reads the lists of the providers themselves, concurrently. A provider without a key is left out; one that fails is
// left out and reported. The models are in the order of the provider table.
func (c *Client) fallback(ctx context.Context) (*snapshot, []error) {
	lists, errs := make([][]ModelInfo, len(providers)), make([]error, len(providers))
	var all sync.WaitGroup
	for i := range providers {
		all.Go(func() {
			list, failure := c.listModels(ctx, &providers[i])
			switch {
			case failure == nil:
				lists[i] = list
			case ctx.Err() == nil: // otherwise it failed because every caller has left
				errs[i] = c.record(failure)
			}
		})
	}
	all.Wait()
	var rows []ModelInfo
	for _, list := range lists {
		rows = append(rows, list...)
	}
	return newSnapshot(rows), errs
}

// listModels returns a provider's own list, or nothing without a key.
func (c *Client) listModels(ctx context.Context, p *providerInfo) ([]ModelInfo, *Failure) {
	r, failure := c.listRequest(ctx, opListModels, p.services[0].service)
	if failure != nil || r == nil {
		return nil, failure
	}
	rows, failure := p.list(c, ctx, *r)
	if failure != nil {
		return nil, failure
	}
	if len(rows) == 0 {
		// proto3 omits what is empty, so that {} and {"error":…} decode as lists.
		return nil, r.undecodable(errNoModels)
	}
	for i := range rows {
		rows[i].fromProvider(p)
	}
	return rows, nil
}

// listRequest returns a request for a list of models, or nil when there is no key: a provider without a key is not a
// failure of a list that several providers contribute to.
func (c *Client) listRequest(ctx context.Context, operation string, service Service) (*request, *Failure) {
	key, err := c.key(ctx, service, "")
	r := newRequest(operation, service, key, listTimeout)
	switch {
	case errors.Is(err, errNoKey):
		return nil, nil
	case err != nil:
		return nil, r.missingKey(err)
	}
	return &r, nil
}
