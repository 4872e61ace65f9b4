package discoverytest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// withField returns the rows that have a field, also null.
func withField(rows []map[string]any, name string) []map[string]any {
	found := []map[string]any{}
	for _, row := range rows {
		if _, has := row[name]; has {
			found = append(found, row)
		}
	}
	return found
}

// notNull returns the values of a field that are there and not null.
func notNull(rows []map[string]any, name string) []any {
	found := []any{}
	for _, value := range column(rows, name) {
		if value != nil {
			found = append(found, value)
		}
	}
	return found
}

func TestOpenAIModels(t *testing.T) {
	t.Parallel()
	r := start(t).call(discoverytest.ListOpenAIModels, "")
	assert.Equal(t, 200, r.status)
	assert.Equal(t, "list", r.object(t)["object"])
	rows := r.rows(t, "data")
	assert.Len(t, rows, 13)
	assert.Len(t, withField(rows, "shutdown_date"), 12, "one row does not have it at all")
	dates := notNull(rows, "shutdown_date")
	assert.Len(t, dates, 10, "on others it is null")
	for _, date := range dates {
		assert.Regexp(t, `^\d{4}-\d\d-\d\d$`, date)
	}
}

func TestDeepSeekModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListDeepSeekModels, "").rows(t, "data")
	assert.Equal(t, []any{"deepseek-flash", "deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner"}, column(rows, "id"))
	assert.Equal(t, []any{json.Number("1048576"), json.Number("1048576"), nil, nil}, column(rows, "context_window"))
	assert.Equal(t, map[string]any{"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}, rows[2], "the older shape")
	assert.Empty(t, withField(rows, "created"))
}

func TestXAIModels(t *testing.T) {
	t.Parallel()
	rows := start(t).call(discoverytest.ListXAIModels, "").rows(t, "data")
	assert.Len(t, rows, 7)
	assert.Len(t, withField(rows, "aliases"), 5)
	assert.Len(t, withField(rows, "context_length"), 5)
	assert.Len(t, withField(rows, "prompt_text_token_price"), 1)
	assert.Len(t, withField(rows, "created"), 7)
	assert.Equal(t, []any{"grok-4.5-latest", "grok-latest"}, rows[0]["aliases"])
}

// The documents decide what a good answer is: these checks must be able to fail.
func TestCheckerFindsInvalidResponses(t *testing.T) {
	t.Parallel()
	for op, body := range map[discoverytest.Operation]string{
		discoverytest.ListCatalog:         `{"data":[{"id":null}]}`,
		discoverytest.ListOpenAIModels:    `{"data":[{"created":1}]}`,
		discoverytest.ListDeepSeekModels:  `{"data":[{"id":"a","context_window":"many"}]}`,
		discoverytest.ListAnthropicModels: `{"data":[],"has_more":"no"}`,
		discoverytest.ListGeminiModels:    `{"models":[{"displayName":"nameless"}]}`,
		discoverytest.ListXAIModels:       `{"data":[{"id":"a","aliases":"b"}]}`,

		discoverytest.ListXAILanguageModels: `{"models":[{"id":"a","prompt_text_token_price":"3"}]}`,
	} {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Fail(op, discoverytest.Fault{Header: map[string][]string{"Content-Type": {"application/json"}}, Body: body})
			_, request, response := s.validate(op, "")
			assert.NoError(t, request)
			assert.Error(t, response)
			assert.Equal(t, 200, s.call(op, "").status)
		})
	}
}
