package discovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/version"
)

const (
	opUpdatePrices = "UpdatePrices"
	// updateInterval is the time in which the price table is requested at most once.
	updateInterval = 24 * time.Hour
)

// priceUpdate is the result of a request for the price table.
type priceUpdate struct {
	csv, etag string
	failure   *Failure
}

// UpdatePrices returns base with the newest reviewed table of this project instead of its own, so that prices change without a
// new version of the program. A nil base is [prices.BuiltIn]. The result is never nil.
//
// It sends one request to [ServicePrices], without a key, at most once in 24 hours for each client; after a failure again when
// [WithOutageTTL] has passed. The request has the ETag of the last table, also of one that [prices.Load] read. The default address
// is the file in the repository of this project; [WithBaseURL] sets the address of a copy, to which /prices.csv is appended. Nothing
// else of this package requests the table.
//
// The table contains the prices of tokens. Fees, factors of modes and hours of DeepSeek stay as in this version. Rows of
// [prices.List.With] and of [Client.LivePrices] in base stay and precede it. The Source of a row of the new table ends with the
// date of the table.
//
// A table that cannot be read, with a malformed line, verified later than tomorrow in UTC, with an older [prices.List.AsOf] than that
// of base, or with prices for less than nine tenths of its models is a [Failure], and base is returned; with [WithStrictErrors] the
// error is returned beside it.
func (c *Client) UpdatePrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	if base == nil {
		base = prices.BuiltIn()
	}
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	r := newRequest(opUpdatePrices, ServicePrices, Secret{}, listTimeout)
	fresh := func(u priceUpdate, at time.Time) bool {
		if u.failure != nil {
			return time.Since(at) < c.outageTTL
		}
		return time.Since(at) < updateInterval
	}
	u, _, err := c.prices.Get(ctx, fresh, func(ctx context.Context) (priceUpdate, error) { return c.readPrices(ctx, r, base) })
	if err != nil { // ctx ended
		return base, c.report(ctx, r.interrupted(err))
	}
	if u.failure != nil {
		return base, c.report(ctx, u.failure)
	}
	list, err := base.WithTable(u.csv, u.etag)
	if err != nil {
		return base, c.report(ctx, r.unfit(err))
	}
	return list, nil
}

// readPrices requests the table, with the ETag of the last one or of base.
func (c *Client) readPrices(ctx context.Context, r request, base *prices.List) (priceUpdate, error) {
	var last priceUpdate
	last.csv, last.etag = base.Table()
	if u := c.lastPrices.Load(); u != nil {
		last = *u
	}
	resp, err := call.Do(ctx, call.Limits{Timeout: r.timeout, MaxBytes: c.maxBytes}, func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL(ServicePrices)+"/prices.csv", http.NoBody)
		if err != nil {
			return nil, err
		}
		req.Header.Set("User-Agent", version.UserAgent())
		if last.etag != "" {
			req.Header.Set("If-None-Match", last.etag)
		}
		return c.http.Do(req)
	})
	switch {
	case ctx.Err() != nil: // no caller waits for the result
		return priceUpdate{}, ctx.Err()
	case err != nil && err.Status == http.StatusNotModified && last.etag != "":
		return last, nil
	case err != nil:
		return priceUpdate{failure: r.failed(err)}, nil
	}
	u := priceUpdate{csv: string(resp.Body), etag: resp.Header.Get("ETag")}
	if _, err := base.WithTable(u.csv, u.etag); err != nil {
		return priceUpdate{failure: r.unfit(err)}, nil
	}
	c.lastPrices.Store(&u)
	return u, nil
}

// unfit returns the Failure of a table that does not replace another one.
func (r request) unfit(err error) *Failure {
	var damaged *ValueError
	if errors.As(err, &damaged) {
		return r.undecodable(fmt.Errorf("the table %s", damaged.Reason))
	}
	return r.partial(err)
}
