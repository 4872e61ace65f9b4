package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// source is one provider's own list of models, with the key it needs (SPEC.md, Catalog sources, 2).
type source struct {
	provider Provider
	key      secret.Secret
	list     func(context.Context, question) ([]ModelInfo, *Failure)
}

func (c *Client) sources() []source {
	return []source{
		{OpenAI, keyFrom("OPENAI_API_KEY"), c.listOpenAI},
		{DeepSeek, keyFrom("DEEPSEEK_API_KEY"), c.listDeepSeek},
		{Anthropic, keyFrom("ANTHROPIC_API_KEY"), c.listAnthropic},
		{Gemini, keyFrom("GEMINI_API_KEY"), c.listGemini},
		{XAI, keyFrom("XAI_API_KEY"), c.listXAI},
	}
}

// fallback asks the providers themselves, side by side. One without a key adds nothing; one that fails adds nothing and is
// reported. The order of the models is that of the sources, whoever answers first.
func (c *Client) fallback(ctx context.Context) (*snapshot, []error) {
	sources := c.sources()
	lists, problems := make([][]ModelInfo, len(sources)), make([]error, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		if !given(s.key) {
			continue
		}
		all.Go(func() {
			q := question{operation: opListModels, provider: s.provider, key: s.key, timeout: listTimeout}
			list, failure := s.list(ctx, q)
			if failure == nil && len(list) == 0 {
				// proto3 leaves out what is empty, so that {} and {"error":…} are lists too, by the document.
				failure = noRows(q, errNoModels)
			}
			switch {
			case failure == nil:
				lists[i] = list
			case ctx.Err() == nil: // otherwise nobody waits any more, and it failed for that
				problems[i] = c.report(ctx, *failure)
			}
		})
	}
	all.Wait()
	var rows []ModelInfo
	for _, list := range lists {
		rows = append(rows, list...)
	}
	return newSnapshot(rows), problems
}

// row makes a ModelInfo out of what a provider says of its own model. The lists are never nil.
func row(provider Provider, m ModelInfo) ModelInfo {
	m.Developer, m.Source = developerName[provider], string(provider)
	m.Name, m.Description = known(m.Name), known(m.Description)
	m.ContextLength, m.MaxTokens = known(m.ContextLength), known(m.MaxTokens)
	return m
}

// developerName is how the providers spell themselves.
var developerName = map[Provider]string{
	OpenAI: "OpenAI", DeepSeek: "DeepSeek", Anthropic: "Anthropic", Gemini: "Google", XAI: "xAI",
}

// mostPages bounds a list that never ends. No provider has a hundred thousand models.
const mostPages = 100

// pages follows a list from page to page. next returns the rows of a page and the cursor of the one after it, "" on the
// last. A cursor that comes back, or pages without end, are a failure: the list would be neither whole nor known to be cut.
func pages[T any](q question, next func(cursor string) (rows []T, after string, failure *Failure)) ([]T, *Failure) {
	var all []T
	seen := map[string]bool{"": true}
	for cursor := ""; len(seen) <= mostPages; seen[cursor] = true {
		rows, after, failure := next(cursor)
		if failure != nil {
			return nil, failure
		}
		all = append(all, rows...)
		if after == "" {
			return all, nil
		}
		if seen[after] {
			return nil, &Failure{
				Operation: q.operation, Provider: q.provider, Reason: ReasonPartial, StatusCode: http.StatusOK, Err: errRepeatedCursor,
			}
		}
		cursor = after
	}
	return nil, &Failure{
		Operation: q.operation, Provider: q.provider, Reason: ReasonPartial, StatusCode: http.StatusOK,
		Err: fmt.Errorf("the list has more than %d pages", mostPages),
	}
}

// brokenOff reports whether a page of Google's holds something else in the place of its rows, such as an error with status 200:
// taken for the last page it would cut the list short. Behind other pages {} is a last one, since proto3 leaves out what is
// empty.
func brokenOff(rows int, token *string, others map[string]json.RawMessage) bool {
	_, refused := others["error"]
	return refused || rows == 0 && textOf(token) == "" && len(others) > 0
}

// noRows is an answer that has none of what it should list.
func noRows(q question, err error) *Failure {
	f := undecodable(q.operation, q.provider, http.StatusOK, err)
	return &f
}

var (
	errRepeatedCursor = errors.New("a page leads back to one that was read before")
	errNoCursor       = errors.New("more pages are announced, but not where they are")
)
