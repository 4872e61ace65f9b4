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

// readCatalog asks the catalog, else the providers, else remembers. It always returns a snapshot, if an empty one.
func (c *Client) readCatalog(ctx context.Context) *snapshot {
	s, failure := c.askCatalog(ctx)
	if failure == nil {
		c.catalog.good.Store(s)
		return s
	}
	if ctx.Err() != nil {
		return newSnapshot(nil) // for nobody: all who asked have left, each with a Failure of its own
	}
	problem := c.report(ctx, failure)
	s, problems := c.fallback(ctx)
	problem = errors.Join(append([]error{problem}, problems...)...)
	if len(s.models) == 0 && ctx.Err() == nil {
		s = c.remembered(ctx, problem)
	} else {
		s.failure = problem
	}
	s.readAt = time.Now()
	return s
}

// remembered is the last good catalog, for want of anything newer; an empty one if there never was one. problem is why.
func (c *Client) remembered(ctx context.Context, problem error) *snapshot {
	s := newSnapshot(nil)
	if good := c.catalog.good.Load(); good != nil {
		s = &snapshot{models: good.models, byName: good.byName, bySpelling: good.bySpelling}
		problem = errors.Join(problem, c.report(ctx, catalogRequest.failure(ReasonPartial, 0,
			fmt.Errorf("the catalog of %s is used", good.readAt.UTC().Format(time.RFC3339)))))
	}
	s.failure = problem
	return s
}

// askCatalog asks the primary catalog, with the ETag of the last good answer: a catalog that has not changed need not be
// sent again.
func (c *Client) askCatalog(ctx context.Context) (*snapshot, *Failure) {
	good := c.catalog.good.Load()
	params := &catalog.ListModelsParams{}
	if good != nil && good.etag != "" {
		params.IfNoneMatch = &good.etag
	}
	limits := call.Limits{Timeout: listTimeout, MaxBytes: c.maxBytes}
	resp, err := call.Do(ctx, limits, func(ctx context.Context) (*http.Response, error) {
		return c.apis.catalog.ListModels(ctx, params)
	})
	switch {
	case err != nil && err.Status == http.StatusNotModified && good != nil:
		renewed := *good
		renewed.readAt = time.Now()
		return &renewed, nil
	case err != nil:
		return nil, catalogRequest.failed(err)
	}
	return c.readRows(ctx, resp)
}

// readRows turns the answer into a snapshot. A row that cannot be read costs itself and no other; how many there were is
// reported. An answer without a single readable row is no catalog.
func (c *Client) readRows(ctx context.Context, resp call.Response) (*snapshot, *Failure) {
	var list catalog.Catalog
	if err := list.UnmarshalJSON(resp.Body); err != nil {
		return nil, catalogRequest.failure(ReasonDecode, resp.Status, err)
	}
	rows, skipped, first := readable(list.Data)
	if len(rows) == 0 {
		return nil, catalogRequest.failure(ReasonDecode, resp.Status, errors.Join(errNoModels, first))
	}
	s := newSnapshot(rows)
	s.primary, s.readAt, s.etag = true, time.Now(), resp.Header.Get("ETag")
	if skipped > 0 {
		s.failure = c.report(ctx, catalogRequest.failure(ReasonPartial, resp.Status,
			fmt.Errorf("%d of %d rows cannot be read, the first one: %w", skipped, len(list.Data), first)))
	}
	return s, nil
}

var (
	errNoModels = errors.New("the answer lists no model")
	errNoID     = errors.New("the id is empty")
)

// readable reads the rows one by one. first is what was wrong with the first one skipped.
func readable(raw []json.RawMessage) (rows []ModelInfo, skipped int, first error) {
	rows = make([]ModelInfo, 0, len(raw))
	for i, text := range raw {
		row, err := readRow(text)
		if err == nil {
			rows = append(rows, row)
			continue
		}
		if skipped++; first == nil {
			first = fmt.Errorf("data[%d]: %w", i, err)
		}
	}
	return rows, skipped, first
}

// readRow reads one row of any generation: what is in info comes first, what is flat beside the id second, and outputMax
// before the older maxTokens (WIRE.md section 1). Some rows do not say who made the model; it exists all the same.
func readRow(text json.RawMessage) (ModelInfo, error) {
	var e catalog.Entry
	if err := e.UnmarshalJSON(text); err != nil {
		return ModelInfo{}, err
	}
	var info catalog.Info
	if e.Info != nil {
		info = *e.Info
	}
	if e.ID == "" {
		return ModelInfo{}, errNoID
	}
	return ModelInfo{
		ID:            e.ID,
		Developer:     deref(firstNonNil(nonZero(info.Developer), nonZero(e.Developer))),
		ContextLength: count(info.ContextLength, e.ContextLength),
		MaxTokens:     count(info.OutputMax, info.MaxTokens, e.OutputMax, e.MaxTokens),
		Name:          firstNonNil(nonZero(info.Name), nonZero(e.Name)),
		Description:   firstNonNil(nonZero(info.Description), nonZero(e.Description)),
		Type:          nonZero(e.Type),
		Aliases:       union(nil, e.Aliases),
		Tags:          union(nil, e.Tags),
		Source:        SourceCatalog,
	}, nil
}

// count returns the first number that says something: 0 and what is no whole number do not.
func count(numbers ...*json.Number) *int64 {
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
