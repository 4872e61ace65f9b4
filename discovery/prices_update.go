package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

const (
	opUpdatePrices  = "UpdatePrices"
	opConfirmPrices = "ConfirmPrices"
)

// priceTable is the price table as it was received.
type priceTable struct{ csv, etag string }

// UpdatePrices returns base with the newest reviewed table of this project instead of its own, so that prices change without a
// new version of the program. A nil base is [prices.BuiltIn]. The result is never nil.
//
// It sends one request to [ServicePrices], without a key, at most once in 24 hours for each client; after a failure again when
// [WithOutageTTL] has passed. The request has the ETag of the last table, also of one that [prices.Load] read. The default address
// is the file in the repository of this project; [WithBaseURL] sets the address of a copy, to which /prices.csv is appended. Nothing
// else of this package requests the table; [Client.ConfirmPrices] requests the days on which its rows were confirmed.
//
// The table contains the prices of tokens. Fees, factors of modes and hours of DeepSeek stay as in this version. Rows of
// [prices.List.With] and of [Client.LivePrices] in base stay and precede it. The Source of a row of the new table ends with the
// date of the table.
//
// A table that cannot be read, with a malformed line, verified later than tomorrow in UTC, whose newest verification is older than that of
// base, or with prices for less than nine tenths of its models is a [Failure], and base is returned; with [WithStrictErrors] the
// error is returned beside it.
func (c *Client) UpdatePrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	base = cmp.Or(base, prices.BuiltIn())
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	r := newRequest(opUpdatePrices, ServicePrices, Secret{}, listTimeout)
	sent, failure := readListing(ctx, c, &c.tables, r, PricingOptions{}, func(ctx context.Context, last priceTable) (priceTable, *Failure) {
		return c.readPrices(ctx, r, base, last)
	})
	if failure != nil {
		return base, c.report(ctx, failure)
	}
	list, err := base.WithTable(sent.prices.csv, sent.prices.etag)
	if err != nil {
		return base, c.report(ctx, r.unfit(err))
	}
	return list, nil
}

// readPrices requests the table, with the ETag of the last one, else of base.
func (c *Client) readPrices(ctx context.Context, r request, base *prices.List, last priceTable) (priceTable, *Failure) {
	if last.csv == "" {
		last.csv, last.etag = base.Table()
	}
	resp, err := c.getPrices(ctx, r, "/prices.csv", last.etag)
	switch {
	case err != nil && err.Status == http.StatusNotModified && last.etag != "":
		return last, nil
	case err != nil:
		return last, r.failed(err)
	}
	table := priceTable{string(resp.Body), resp.Header.Get("ETag")}
	if _, err := base.WithTable(table.csv, table.etag); err != nil {
		return last, r.unfit(err)
	}
	return table, nil
}

// getPrices requests a file of the price table.
func (c *Client) getPrices(ctx context.Context, r request, path, etag string) (call.Response, *call.Error) {
	return call.Do(ctx, call.Limits{Timeout: r.timeout, MaxBytes: c.maxBytes}, func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL(ServicePrices)+path, http.NoBody)
		if err != nil {
			return nil, err
		}
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		return userAgent{c.http}.Do(req)
	})
}

// ConfirmPrices returns base with the days on which public price feeds last stated the rows of its table; see
// [prices.List.WithConfirmed]. A nightly job of this project keeps them. Call it with the result of UpdatePrices. A nil base is
// [prices.BuiltIn]. The result is never nil.
//
// It sends one request to [ServicePrices], without a key, for /confirmed.csv. A response that cannot be read or does not fit base is a
// [Failure], and base is returned; with [WithStrictErrors] the error is returned beside it.
func (c *Client) ConfirmPrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	base = cmp.Or(base, prices.BuiltIn())
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	r := newRequest(opConfirmPrices, ServicePrices, Secret{}, listTimeout)
	resp, failed := c.getPrices(ctx, r, "/confirmed.csv", "")
	if failed != nil {
		return base, c.report(ctx, r.failed(failed))
	}
	list, err := base.WithConfirmed(string(resp.Body))
	if err != nil {
		return base, c.report(ctx, r.unfit(err))
	}
	return list, nil
}

// unfit returns the Failure of a table that does not replace another one.
func (r request) unfit(err error) *Failure {
	var damaged *ValueError
	if errors.As(err, &damaged) {
		return r.undecodable(fmt.Errorf("the table %s", damaged.Reason))
	}
	return r.partial(err)
}
