package discovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/catalog"
	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/call"
)

// catalogRequest requests the primary catalog, which needs no key. Operations share it,
// so each sets the operation in a failure.
var catalogRequest = request{timeout: listTimeout}

type catalogCache struct {
	current cache.Value[*snapshot]
	// lastGood is the last primary snapshot. It survives InvalidateCatalog.
	lastGood atomic.Pointer[snapshot]

	mu sync.Mutex
	// unreported holds failures from shared requests until a caller reports them in its
	// own goroutine. A failure handler may panic, or call the client, which would wait
	// for the request that waits for the handler.
	unreported []*Failure
}

// readCatalog requests the catalog, or else the providers' lists, or else returns the
// last good catalog. Its error is always nil: an outage is cached, too, for a shorter
// time.
func (c *Client) readCatalog(ctx context.Context) (*snapshot, error) {
	primary, failure := c.fetchCatalog(ctx)
	if failure == nil {
		c.catalog.lastGood.Store(primary)
		return primary, nil
	}
	if ctx.Err() != nil { // every caller has left and reported that
		return newSnapshot(nil), nil //nolint:nilerr // no caller is left
	}
	failures := []*Failure{c.record(failure)}
	s := c.fallback(ctx)
	s.failures = append(failures, s.failures...)
	switch {
	case len(s.models) > 0 || ctx.Err() != nil:
	case c.catalog.lastGood.Load() != nil:
		return c.lastGood(s.failures), nil
	case primary != nil: // few readable rows are better than nothing
		primary.failures, s = s.failures, primary
	}
	return s, nil //nolint:nilerr // the failure is in the snapshot
}

// fallback reads the providers' own lists concurrently, and skips providers without a
// key. Models and failures are in the provider table's order.
func (c *Client) fallback(ctx context.Context) *snapshot {
	lists, failures := make([][]ModelInfo, len(providerTable)), make([]*Failure, len(providerTable))
	var all sync.WaitGroup
	for i := range providerTable {
		all.Go(func() {
			list, failure := c.listModels(ctx, &providerTable[i])
			switch {
			case failure == nil:
				lists[i] = list
			case ctx.Err() == nil: // otherwise every caller has left
				failures[i] = failure
			}
		})
	}
	all.Wait()
	s := newSnapshot(slices.Concat(lists...))
	for _, failure := range failures {
		if failure != nil {
			s.failures = append(s.failures, c.record(failure))
		}
	}
	return s
}

// fetchCatalog sends the last good response's ETag, so that an unchanged catalog isn't
// sent again.
func (c *Client) fetchCatalog(ctx context.Context) (*snapshot, *Failure) {
	if err := c.checkCatalogURL(); err != nil {
		return nil, catalogRequest.failure(ReasonNetwork, 0, err)
	}
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

// decodeCatalog skips unreadable rows and reports their number. If most rows are
// unreadable, that's a failure, so that the response doesn't replace a good catalog. The
// snapshot is returned anyway, in case there is nothing better.
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
		s.failures = []*Failure{c.record(catalogRequest.failure(ReasonPartial, resp.Status, unreadable))}
	}
	return s, nil
}

// lastGood returns the last primary snapshot as a substitute, or an empty snapshot.
// failures explain why.
func (c *Client) lastGood(failures []*Failure) *snapshot {
	good := c.catalog.lastGood.Load()
	if good == nil {
		s := newSnapshot(nil)
		s.failures = failures
		return s
	}
	used := c.record(catalogRequest.failure(ReasonPartial, 0, fmt.Errorf("using the catalog from %s", good.readAt.UTC().Format(time.RFC3339))))
	return &snapshot{models: good.models, byName: good.byName, bySpelling: good.bySpelling, failures: append(failures, used)}
}

// record queues a shared request's failure for the next caller.
func (c *Client) record(f *Failure) *Failure {
	c.catalog.mu.Lock()
	defer c.catalog.mu.Unlock()
	c.catalog.unreported = append(c.catalog.unreported, f)
	return f
}

func (c *Client) takeUnreported() []*Failure {
	c.catalog.mu.Lock()
	defer c.catalog.mu.Unlock()
	failures := c.catalog.unreported
	c.catalog.unreported = nil
	return failures
}
