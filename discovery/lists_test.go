package discovery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestInvalidCursorsAreFailures(t *testing.T) {
	setKeys(t)
	for name, row := range map[string]struct{ provider, body string }{
		"gemini's repeated token":    {"gemini", `{"models":[{"name":"models/g"}],"nextPageToken":"again"}`},
		"anthropic's repeated id":    {"anthropic", `{"data":[{"id":"c"}],"has_more":true,"last_id":"c"}`},
		"anthropic without a cursor": {"anthropic", `{"data":[{"id":"c"}],"has_more":true,"last_id":null}`},
	} {
		s := providerServer(respondStatus(500, ""))
		s.set(row.provider, respond(row.body))
		list, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Provider(row.provider)})
		require.NoError(t, err)
		assert.Empty(t, list, name)
		assert.Contains(t, s.reasons(), row.provider+" partial", name)
		assert.LessOrEqual(t, s.count(row.provider), 2, name)
	}
	s := providerServer(respondStatus(500, ""))
	n := 0
	s.set("gemini", func(w http.ResponseWriter, _ *http.Request) {
		n++
		fmt.Fprintf(w, `{"models":[{"name":"models/g%d"}],"nextPageToken":"%d"}`, n, n)
	})
	_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Contains(t, s.reasons(), "gemini partial", "the number of pages is limited")
	assert.Equal(t, 100, n)
}

// An unreadable page's cursor isn't followed, even if it precedes the invalid part.
func TestUnreadablePageEndsTheList(t *testing.T) {
	setKeys(t)
	for name, row := range map[string]struct{ provider, body string }{
		"gemini":                     {"gemini", `{"nextPageToken":"2","models":[{"name":7}]}`},
		"anthropic":                  {"anthropic", `{"has_more":true,"last_id":"c","data":[{"id":7}]}`},
		"anthropic without a cursor": {"anthropic", `{"has_more":true,"data":[{"id":7}]}`},
	} {
		s := providerServer(respondStatus(500, ""))
		s.set(row.provider, respond(row.body))
		_, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Provider(row.provider)})
		require.NoError(t, err)
		assert.Contains(t, s.reasons(), row.provider+" decode", name)
		assert.Equal(t, 1, s.count(row.provider), name)
	}
}

// On a later page, an error with status 200 must not cut the list short. The failure
// names the wrong field, whatever else the response contains.
func TestErrorInPlaceOfAGeminiPageIsAFailure(t *testing.T) {
	setKeys(t)
	for page, want := range map[string]string{
		`{"error":{"code":500,"message":"busy"}}`:         "lists no model",
		`{"error":{"code":500},"nextPageToken":""}`:       "lists no model",
		`{"models":[],"error":{"code":500}}`:              "lists no model",
		`{"models":[{"name":"models/a"}],"error":"half"}`: "lists no model",
		`{"surprise":true,"models":7}`:                    "models: ",
	} {
		s := providerServer(respondStatus(500, ""))
		s.set("gemini", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("pageToken") != "" {
				respond(page)(w, r)
				return
			}
			respond(`{"models":[{"name":"models/gemini-3.5-flash"}],"nextPageToken":"2"}`)(w, r)
		})
		list, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{Provider: models.Gemini})
		require.NoError(t, err)
		assert.Empty(t, list)
		require.ElementsMatch(t, []string{"status", "gemini decode"}, s.reasons())
		for _, f := range s.failures {
			if f.Provider == models.Gemini {
				assert.ErrorContains(t, f, want)
			}
		}
	}
}

func TestModelHasEveryField(t *testing.T) {
	t.Parallel()
	models, err := catalogServer(`[{"id":"acme/one","type":"chat","aliases":["one","uno"],"tags":["fast"],"info":{"developer":"Acme","name":"One",
		"description":"The first.","contextLength":1000,"maxTokens":100}},{"id":"acme/two","developer":"Acme"}]`).
		inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []discovery.ModelInfo{
		{
			ID: "acme/one", Developer: "Acme", ContextLength: ptr(int64(1000)), MaxTokens: ptr(int64(100)), Name: ptr("One"),
			Description: ptr("The first."), Type: ptr("chat"), Aliases: []string{"one", "uno"}, Tags: []string{"fast"}, Source: "catalog",
		},
		{ID: "acme/two", Developer: "Acme", Aliases: []string{}, Tags: []string{}, Source: "catalog"},
	}, models, "and the defaults")
}

func TestOlderFormsOfRows(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text            string
		context, tokens any
	}{
		"today":              {`{"id":"m","info":{"developer":"D","contextLength":10,"outputMax":5}}`, 10, 5},
		"before":             {`{"id":"m","info":{"developer":"D","contextLength":10,"maxTokens":5},"features":["x"]}`, 10, 5},
		"both":               {`{"id":"m","info":{"developer":"D","outputMax":5,"maxTokens":7}}`, nil, 5},
		"flat":               {`{"id":"m","developer":"D","contextLength":10,"maxTokens":5}`, 10, 5},
		"info before flat":   {`{"id":"m","developer":"X","contextLength":1,"info":{"developer":"D","contextLength":10}}`, 10, nil},
		"numbers as strings": {`{"id":"m","info":{"developer":"D","contextLength":"10","outputMax":"5"}}`, 10, 5},
		"0 is unknown":       {`{"id":"m","info":{"developer":"D","contextLength":0,"outputMax":0,"name":"","description":""},"type":""}`, nil, nil},
		"null is unknown":    {`{"id":"m","info":{"developer":"D","contextLength":null,"name":null},"aliases":null,"tags":null,"type":null}`, nil, nil},
		"beyond 64 bits":     {`{"id":"m","info":{"developer":"D","contextLength":9223372036854775808,"outputMax":1e400}}`, nil, nil},
		"fraction":           {`{"id":"m","info":{"developer":"D","contextLength":1.5,"outputMax":1e3}}`, nil, nil},
	} {
		for _, envelope := range []string{`{"object":"list","data":[%s]}`, `{"data":[%s]}`, `[%s]`} {
			m, err := catalogServer(fmt.Sprintf(envelope, row.text)).inProcess().GetModelInfo(t.Context(), "m", discovery.CatalogOptions{})
			require.NoError(t, err)
			require.NotNil(t, m, name)
			assert.Equal(t, "D", m.Developer, name)
			assert.Nil(t, m.Name)
			assert.Nil(t, m.Description)
			assert.Nil(t, m.Type)
			for want, got := range map[any]*int64{fmt.Sprint("c", row.context): m.ContextLength, fmt.Sprint("t", row.tokens): m.MaxTokens} {
				value := "<nil>"
				if got != nil {
					value = fmt.Sprint(*got)
				}
				assert.Equal(t, want.(string)[1:], value, name)
			}
		}
	}
}

func TestModelInfoJSON(t *testing.T) {
	t.Parallel()
	m, err := catalogServer(twoModels).inProcess().GetModelInfo(t.Context(), "grok-4.5", discovery.CatalogOptions{})
	require.NoError(t, err)
	text, err := json.Marshal(m)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"x-ai/grok-4-5","developer":"X AI","context_length":null,"max_tokens":null,"name":"Grok",
		"description":null,"type":null,"aliases":["grok-4.5"],"tags":[],"source":"catalog"}`, string(text))
}

func TestUnreadableRowsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := catalogServer(`[{"id":"good","developer":"D"},null,7,"x",[],{},{"id":""},{"id":7,"developer":"D"},
		{"id":"aliases","developer":"D","aliases":"x"},{"id":"count","developer":"D","contextLength":"many"},{"id":"also-good","developer":"D"}]`)
	models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"good", "also-good"}, ids(models))
	require.Equal(t, []string{"partial"}, s.reasons())
	assert.Contains(t, s.failures[0].Error(), "9 of 11 rows cannot be read, the first one: data[1]")

	models, err = s.inProcess(discovery.WithStrictErrors()).ListModels(t.Context(), discovery.CatalogOptions{})
	assert.Len(t, models, 2, "strict callers get the models and the failure")
	var f *discovery.Failure
	require.ErrorAs(t, err, &f)
	assert.Equal(t, discovery.ReasonPartial, f.Reason)
}

func TestRowsOfOneIDAreMerged(t *testing.T) {
	t.Parallel()
	c := catalogServer(`[{"id":"m","developer":"D","type":"a","aliases":["one"],"tags":["t"]},{"id":"other","developer":"D"},
		{"id":"m","developer":"D","type":"b","aliases":["two","one"],"tags":["u"],"contextLength":7}]`).inProcess()
	models, err := c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"m", "other"}, ids(models))
	assert.Equal(t, []string{"one", "two"}, models[0].Aliases)
	assert.Equal(t, []string{"t", "u"}, models[0].Tags)
	assert.Equal(t, "a", *models[0].Type)
	assert.Equal(t, int64(7), *models[0].ContextLength)
}

// aliases returns a JSON list with n distinct names.
func aliases(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("alias-%d", i)
	}
	text, _ := json.Marshal(names)
	return string(text)
}

func TestRowWithTooManyAliasesIsLeftOut(t *testing.T) {
	t.Parallel()
	s := catalogServer(`[{"id":"many","aliases":` + aliases(40_000) + `},{"id":"most","aliases":` + aliases(1000) + `},{"id":"plain"}]`)
	models, err := s.client(t).ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"most", "plain"}, ids(models))
	assert.Len(t, models[0].Aliases, 1000)
	assert.Equal(t, []string{"partial"}, s.reasons())
	assert.ErrorContains(t, s.failures[0], "1 of 3 rows")
}

// BenchmarkManyAliases merges rows that share an id and have 80,000 or 160,000 aliases in
// total: the time must double, not quadruple.
func BenchmarkManyAliases(b *testing.B) {
	for _, rows := range []int{80, 160} {
		list := make([]string, rows)
		for i := range list {
			list[i] = `{"id":"one","aliases":` + strings.ReplaceAll(aliases(1000), "alias", fmt.Sprintf("alias-%d", i)) + `}`
		}
		c := catalogServer("[" + strings.Join(list, ",") + "]").inProcess()
		b.Run(fmt.Sprintf("aliases=%d", 1000*rows), func(b *testing.B) {
			for b.Loop() {
				ok, err := c.IsModelSupported(context.Background(), "one", discovery.CatalogOptions{Refresh: true})
				if !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}
