package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/catalog"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

const opListModels = "ListModels"

// catalogRequest describes the request for the primary catalog, which needs no key.
var catalogRequest = request{operation: opListModels, timeout: listTimeout}

// readCatalog requests the catalog, else the lists of the providers, else returns the last good catalog. Its error is nil: the
// snapshot of an outage is cached too, for a shorter time.
func (c *Client) readCatalog(ctx context.Context) (*snapshot, error) {
	primary, failure := c.fetchCatalog(ctx)
	if failure == nil {
		c.catalog.lastGood.Store(primary)
		return primary, nil
	}
	if ctx.Err() != nil { // every caller has left and reported that
		return newSnapshot(nil), nil //nolint:nilerr // no caller is left
	}
	errs := []error{c.record(failure)}
	s, problems := c.fallback(ctx)
	errs = append(errs, problems...)
	switch {
	case len(s.models) > 0 || ctx.Err() != nil:
	case c.catalog.lastGood.Load() != nil:
		return c.lastGood(errs), nil
	case primary != nil: // the few rows that can be read are better than nothing
		s = primary
	}
	s.err = errors.Join(errs...)
	return s, nil //nolint:nilerr // the failure is queued, and in s.err
}

// fetchCatalog requests the primary catalog, with the ETag of the last good response, so that an unchanged catalog is not sent
// again.
func (c *Client) fetchCatalog(ctx context.Context) (*snapshot, *Failure) {
	good := c.catalog.lastGood.Load()
	params := &catalog.ListModelsParams{}
	if good != nil && good.etag != "" {
		params.IfNoneMatch = &good.etag
	}
	limits := call.Limits{Timeout: listTimeout, MaxBytes: c.maxBytes}
	resp, err := call.Do(ctx, limits, func(ctx context.Context) (*http.Response, error) {
		return c.apis.catalog.ListModels(ctx, params)
	})
	switch {
	case err != nil && err.Status == http.StatusNotModified && params.IfNoneMatch != nil:
		renewed := *good
		renewed.readAt = time.Now()
		return &renewed, nil
	case err != nil:
		return nil, catalogRequest.failed(err)
	}
	return c.decodeCatalog(ctx, resp)
}

// decodeCatalog returns a snapshot of the response. A row that cannot be read is left out, and their number is reported. A
// response of which most rows cannot be read is a failure, so that it does not replace a good catalog; its snapshot is returned
// besides, for want of anything better.
func (c *Client) decodeCatalog(ctx context.Context, resp call.Response) (*snapshot, *Failure) {
	var list catalog.Catalog
	if err := list.UnmarshalJSON(resp.Body); err != nil {
		return nil, catalogRequest.failure(ReasonDecode, resp.Status, err)
	}
	rows, first := readRows(ctx, list.Data)
	skipped := len(list.Data) - len(rows)
	unreadable := fmt.Errorf("%d of %d rows cannot be read, the first one: %w", skipped, len(list.Data), first)
	switch {
	case ctx.Err() != nil:
		return nil, catalogRequest.interrupted(ctx.Err())
	case len(rows) == 0:
		return nil, catalogRequest.failure(ReasonDecode, resp.Status, errors.Join(errNoModels, first))
	case skipped > len(rows):
		return newSnapshot(rows), catalogRequest.failure(ReasonPartial, resp.Status, unreadable)
	}
	s := newSnapshot(rows)
	s.primary, s.readAt, s.etag, s.unreadable = true, time.Now(), resp.Header.Get("ETag"), skipped
	if skipped > 0 {
		s.err = c.record(catalogRequest.failure(ReasonPartial, resp.Status, unreadable))
	}
	return s, nil
}

// maxLabels bounds the aliases and the tags of one row. The longest list seen has about ten.
const maxLabels = 1000

var (
	errNoModels      = errors.New("the response lists no model")
	errNoID          = errors.New("the id is empty")
	errTooManyLabels = fmt.Errorf("more than %d aliases or tags", maxLabels)
)

// readRows decodes the rows one by one until ctx ends. first is the error of the first row that was left out.
func readRows(ctx context.Context, raw []json.RawMessage) (rows []ModelInfo, first error) {
	rows = make([]ModelInfo, 0, len(raw))
	for i, text := range raw {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := readRow(text)
		if err == nil {
			rows = append(rows, row)
		} else if first == nil {
			first = fmt.Errorf("data[%d]: %w", i, err)
		}
	}
	return rows, first
}

// readRow decodes one row in any of the forms that the catalog has had: a field in info precedes the same field beside the id,
// and outputMax precedes the older maxTokens. A row without a developer is kept.
func readRow(text json.RawMessage) (ModelInfo, error) {
	var e catalog.Entry
	if err := e.UnmarshalJSON(text); err != nil {
		return ModelInfo{}, err
	}
	switch {
	case e.ID == "":
		return ModelInfo{}, errNoID
	case len(e.Aliases) > maxLabels || len(e.Tags) > maxLabels:
		return ModelInfo{}, errTooManyLabels
	}
	info := deref(e.Info)
	return ModelInfo{
		ID:            e.ID,
		Developer:     deref(firstNonNil(nonZero(info.Developer), nonZero(e.Developer))),
		ContextLength: positive(info.ContextLength, e.ContextLength),
		MaxTokens:     positive(info.OutputMax, info.MaxTokens, e.OutputMax, e.MaxTokens),
		Name:          firstNonNil(nonZero(info.Name), nonZero(e.Name)),
		Description:   firstNonNil(nonZero(info.Description), nonZero(e.Description)),
		Type:          nonZero(e.Type),
		Aliases:       e.Aliases,
		Tags:          e.Tags,
		Source:        SourceCatalog,
	}, nil
}

// positive returns the first positive integer: 0 and anything that is not an integer mean "not known".
func positive(numbers ...*json.Number) *int64 {
	for _, n := range numbers {
		if n == nil {
			continue
		}
		if i, err := n.Int64(); err == nil && i > 0 {
			return &i
		}
	}
	return nil
}
