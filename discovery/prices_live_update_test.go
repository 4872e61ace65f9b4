package discovery_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// newerTable is the built-in table with another price of gpt-4.1, verified later than any other.
func newerTable(t *testing.T) string {
	t.Helper()
	const old = "openai,gpt-4.1,0,2,0.5,,,8,,,"
	i := strings.Index(discoverytest.StandardPrices(), old)
	require.Positive(t, i)
	line, _, _ := strings.Cut(discoverytest.StandardPrices()[i:], "\n")
	day := prices.BuiltIn().AsOf().AddDate(0, 0, 1).Format(time.DateOnly)
	return strings.Replace(discoverytest.StandardPrices(), line, "openai,gpt-4.1,0,1,0.25,,,4,,,pi+genai,"+day+",,,", 1)
}

func updateClient(s *discoverytest.Server, opts ...discovery.Option) (*discovery.Client, *[]discovery.Failure) {
	failures := new([]discovery.Failure)
	opts = append(s.Options(), append(opts, discovery.WithLogger(slog.New(slog.DiscardHandler)), discovery.WithFailureHandler(func(f discovery.Failure) { *failures = append(*failures, f) }))...)
	return newClient(opts...), failures
}

var gpt41 = prices.Call{
	Provider: models.OpenAI, Model: "gpt-4.1", Usage: prices.Usage{Input: 1_000_000}, At: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
}

func TestUpdatePrices(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	s.SetPrices(newerTable(t))
	c, failures := updateClient(s)
	own := prices.Row{Provider: models.OpenAI, ModelHint: "my-model", InputPerMTok: "0"}
	base, err := prices.BuiltIn().With(own)
	require.NoError(t, err)
	list, err := c.UpdatePrices(t.Context(), base)
	require.NoError(t, err)
	assert.Empty(t, *failures)
	cost, err := list.CostOf(gpt41)
	require.NoError(t, err)
	assert.EqualValues(t, "1", cost.USD)
	assert.Contains(t, cost.Source, "price table of "+list.AsOf().Format(time.DateOnly))
	assert.True(t, list.AsOf().After(base.AsOf()))
	assert.Equal(t, list.AsOf().Format(time.DateOnly), *cost.VerifiedAt)
	assert.Len(t, list.ForModel(models.OpenAI, "my-model"), 1, "own rows stay")
	before, err := base.CostOf(gpt41)
	require.NoError(t, err)
	assert.EqualValues(t, "2", before.USD, "base has changed")

	again, err := c.UpdatePrices(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, list.AsOf(), again.AsOf())
	assert.Len(t, s.Requests(discoverytest.GetPrices), 1, "at most one request a day")
	for _, r := range s.Requests() {
		assert.Empty(t, r.Keys)
	}
}

// A released program requests the table at its place in the repository, so the file must never move.
func TestUpdatePricesRequestsTheFileOfThisRepository(t *testing.T) {
	t.Parallel()
	served, address := newerTable(t), ""
	transport := roundTripper(func(req *http.Request) (*http.Response, error) {
		address = req.URL.String()
		return responseOf(http.StatusOK, served), nil
	})
	c := newClient(discovery.WithHTTPClient(&http.Client{Transport: transport}), discovery.WithLogger(slog.New(slog.DiscardHandler)))
	_, err := c.UpdatePrices(t.Context(), nil)
	require.NoError(t, err)
	path, ours := strings.CutPrefix(address, "https://raw.githubusercontent.com/mesh-gateway/mesh-go/main/")
	require.True(t, ours, address)
	assert.Equal(t, "discovery/prices/prices.csv", path)
	file, err := os.ReadFile("../" + path)
	require.NoError(t, err)
	assert.Equal(t, discoverytest.StandardPrices(), string(file))
}

// A table that was saved is requested with its ETag by another process.
func TestUpdatePricesIsConditional(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	s.SetPrices(newerTable(t))
	c, _ := updateClient(s)
	list, err := c.UpdatePrices(t.Context(), nil)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, list.Save(&file))
	loaded, err := prices.Load(&file)
	require.NoError(t, err)
	other, failures := updateClient(s)
	same, err := other.UpdatePrices(t.Context(), loaded)
	require.NoError(t, err)
	assert.Empty(t, *failures)
	assert.Equal(t, list.Rows(""), same.Rows(""))
	requests := s.Requests(discoverytest.GetPrices)
	require.Len(t, requests, 2)
	assert.NotEmpty(t, requests[1].Header.Get("If-None-Match"))
}

func TestUpdatePricesEveryDay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var tags []string
		served := newerTable(t)
		transport := roundTripper(func(req *http.Request) (*http.Response, error) {
			tags = append(tags, req.Header.Get("If-None-Match"))
			if req.Header.Get("If-None-Match") != "" {
				return responseOf(http.StatusNotModified, ""), nil
			}
			r := responseOf(http.StatusOK, served)
			r.Header.Set("ETag", `"one"`)
			return r, nil
		})
		time.Sleep(time.Until(prices.BuiltIn().AsOf().AddDate(0, 0, 2))) // the dates of the table are not in the future
		c := newClient(discovery.WithHTTPClient(&http.Client{Transport: transport}), discovery.WithLogger(slog.New(slog.DiscardHandler)))
		for range 3 {
			list, err := c.UpdatePrices(t.Context(), nil)
			require.NoError(t, err)
			assert.True(t, list.AsOf().After(prices.BuiltIn().AsOf()))
			time.Sleep(13 * time.Hour)
		}
		assert.Equal(t, []string{"", `"one"`}, tags)
	})
}

func responseOf(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func TestUpdatePricesKeepsTheTable(t *testing.T) {
	t.Parallel()
	table := newerTable(t)
	line := func(text string) string { return table + text + "\n" }
	cells := "openai,gpt-x,0,1,,,,2,,,pi+genai,2026-11-22,,,"
	afterTomorrow := time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	latest := strings.Replace(cells, "2026-11-22", time.Now().UTC().Format(time.DateOnly), 1)
	for name, c := range map[string]struct {
		table  string
		reason discovery.Reason
	}{
		"empty":             {"", discovery.ReasonDecode},
		"HTML":              {"<html></html>\n", discovery.ReasonDecode},
		"the header alone":  {header(table), discovery.ReasonDecode},
		"cut within a line": {table[:len(table)-9], discovery.ReasonDecode},
		"cut in half":       {table[:strings.Index(table[len(table)/2:], "\n")+len(table)/2+1], discovery.ReasonPartial},
		"another column":    {strings.Replace(table, ",modality\n", ",modality,region\n", 1), discovery.ReasonDecode},
		"a negative price":  {line(strings.Replace(cells, ",1,", ",-1,", 1)), discovery.ReasonDecode},
		"an infinite price": {line(strings.Replace(cells, ",1,", ",1e999,", 1)), discovery.ReasonDecode},
		"no company":        {line(strings.Replace(cells, "openai", "", 1)), discovery.ReasonDecode},
		"a wrong date":      {line(strings.Replace(cells, "2026-11-22", "2026-13-22", 1)), discovery.ReasonDecode},
		"a date to come":    {line(strings.Replace(cells, "2026-11-22", "2126-11-22", 1)), discovery.ReasonDecode},
		"a control byte":    {line(strings.Replace(cells, "gpt-x", "gpt\x1b[31m", 1)), discovery.ReasonDecode},
		"a day too late":    {line(strings.Replace(cells, "2026-11-22", afterTomorrow, 1)), discovery.ReasonDecode},
		"a second too late": {line(strings.Replace(cells, "2026-11-22", afterTomorrow+"T00:00:00Z", 1)), discovery.ReasonDecode},
		"older":             {older(), discovery.ReasonPartial},
		"one row repeated":  {header(table) + strings.Repeat(latest+"\n", 5_000), discovery.ReasonPartial},
		"no prices":         {header(table) + withoutPrices(table) + latest + "\n", discovery.ReasonPartial},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discoverytest.New(t)
			s.SetPrices(c.table)
			client, failures := updateClient(s)
			list, err := client.UpdatePrices(t.Context(), nil)
			require.NoError(t, err)
			assert.Same(t, prices.BuiltIn(), list)
			require.Len(t, *failures, 1)
			assert.Equal(t, c.reason, (*failures)[0].Reason, (*failures)[0].Error())
			assert.Contains(t, (*failures)[0].Error(), "UpdatePrices: price table")
		})
	}
}

func header(table string) string {
	i := strings.Index(table, "provider,")
	return table[i:strings.Index(table[i:], "\n")+i] + "\n"
}

// withoutPrices returns the rows of a table with empty prices.
func withoutPrices(table string) string {
	var rows strings.Builder
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, ","); len(cells) == 15 && cells[0] != "provider" {
			copy(cells[3:8], []string{"", "", "", "", ""})
			rows.WriteString(strings.Join(cells, ","))
		}
	}
	return rows.String()
}

// withoutEvery returns a table without every nth model, of those with prices in any row.
func withoutEvery(nth int, table string) string {
	number := map[string]int{} // of each model
	var kept strings.Builder
	for line := range strings.Lines(table) {
		cells := strings.Split(line, ",")
		if len(cells) != 15 || cells[0] == "provider" {
			kept.WriteString(line)
			continue
		}
		model := cells[0] + "," + cells[1]
		if _, known := number[model]; !known && strings.Trim(strings.Join(cells[3:8], ""), "?") != "" {
			number[model] = len(number)
		}
		if n, known := number[model]; !known || n%nth != 0 {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// A table may lack a tenth of the models: a row that was wrong can be removed.
func TestUpdatePricesAcceptsATableWithoutAFewModels(t *testing.T) {
	t.Parallel()
	for nth, accepted := range map[int]bool{50: true, 11: true, 9: false} {
		s := discoverytest.New(t)
		table := withoutEvery(nth, newerTable(t))
		require.NotEqual(t, newerTable(t), table)
		s.SetPrices(table)
		client, failures := updateClient(s)
		list, err := client.UpdatePrices(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, accepted, list != prices.BuiltIn(), "without every %dth model", nth)
		assert.Equal(t, accepted, len(*failures) == 0, *failures)
	}
}

// A table of today or tomorrow in another time zone is accepted.
func TestUpdatePricesAcceptsTomorrow(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	s.SetPrices(newerTable(t) + "openai,gpt-x,0,1,,,,2,,,pi+genai," + tomorrow + ",,,\n")
	client, failures := updateClient(s)
	list, err := client.UpdatePrices(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, *failures)
	assert.Len(t, list.ForModel(models.OpenAI, "gpt-x"), 1)
}

// older is the built-in table as of a year before.
func older() string {
	return strings.NewReplacer(",2026-11-2", ",2026-01-2", ",2026-11-1", ",2026-01-1").Replace(discoverytest.StandardPrices())
}

func TestUpdatePricesReportsFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []discoverytest.Fault{{Status: 503}, {Status: 404}, {HangUp: true}, {HangUp: true, Body: "provider,"}, {Status: 302, Header: http.Header{"Location": {"http://example.com"}}}} {
		s := discoverytest.New(t)
		s.Fail(discoverytest.GetPrices, fault)
		s.SetPrices(newerTable(t))
		c, failures := updateClient(s, discovery.WithOutageTTL(0), discovery.WithStrictErrors())
		list, err := c.UpdatePrices(t.Context(), nil)
		assert.Same(t, prices.BuiltIn(), list)
		var failure *discovery.Failure
		require.ErrorAs(t, err, &failure)
		assert.Len(t, *failures, 1)
		list, err = c.UpdatePrices(t.Context(), nil)
		require.NoError(t, err, "the next one succeeds")
		assert.NotSame(t, prices.BuiltIn(), list)
	}
}
