package discovery_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
)

func factsOf(t *testing.T, files fstest.MapFS) *facts.Facts {
	t.Helper()
	f, err := facts.ReadFS(files)
	require.NoError(t, err)
	return f
}

func bundleOf(t *testing.T, files fstest.MapFS) string {
	t.Helper()
	var text strings.Builder
	_, err := factsOf(t, files).WriteTo(&text)
	require.NoError(t, err)
	return text.String()
}

func updateClient(s *discoverytest.Server, opts ...discovery.Option) (*discovery.Client, *[]discovery.Failure) {
	failures := new([]discovery.Failure)
	opts = append(s.Options(), append(opts, discovery.WithLogger(slog.New(slog.DiscardHandler)), discovery.WithFailureHandler(func(f discovery.Failure) { *failures = append(*failures, f) }))...)
	return newClient(opts...), failures
}

func TestUpdateFacts(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	s.SetFacts(bundleOf(t, newfacts.Tomorrow()))
	c, failures := updateClient(s)
	f, err := c.UpdateFacts(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, newfacts.Version(), f.Version())
	_, ok := prices.Of(f).Price(models.OpenAI, "gpt-99", time.Now())
	assert.True(t, ok)
	again, err := c.UpdateFacts(t.Context(), f)
	require.NoError(t, err)
	assert.Same(t, f, again)
	assert.Empty(t, *failures)
	assert.Len(t, s.Requests(discoverytest.GetFacts), 1, "at most one request a day")
	for _, r := range s.Requests() {
		assert.Empty(t, r.Keys)
	}
}

// Getting the same version isn't a failure.
func TestUpdateFactsWithoutNewOnes(t *testing.T) {
	t.Parallel()
	c, failures := updateClient(discoverytest.New(t), discovery.WithStrictErrors())
	f, err := c.UpdateFacts(t.Context(), nil)
	require.NoError(t, err)
	assert.Same(t, facts.BuiltIn(), f)
	assert.Empty(t, *failures)
}

func TestUpdateFactsKeepsTheOldOnes(t *testing.T) {
	t.Parallel()
	good := bundleOf(t, newfacts.Tomorrow())
	older := newfacts.Files()
	older["VERSION"].Data = []byte("2026-01-01.1")
	for name, c := range map[string]struct {
		fault  discoverytest.Fault
		reason discovery.Reason
	}{
		"a wrong digest": {discoverytest.Fault{Body: strings.Replace(good, "gpt-99", "gpt-98", 1)}, discovery.ReasonDecode},
		"HTML":           {discoverytest.Fault{Body: "<html></html>\n"}, discovery.ReasonDecode},
		"cut":            {discoverytest.Fault{Body: good[:len(good)/2]}, discovery.ReasonDecode},
		"older":          {discoverytest.Fault{Body: bundleOf(t, older)}, discovery.ReasonPartial},
		"no file":        {discoverytest.Fault{Status: http.StatusNotFound}, discovery.ReasonStatus},
		"overload":       {discoverytest.Fault{Status: http.StatusServiceUnavailable}, discovery.ReasonStatus},
		"no connection":  {discoverytest.Fault{HangUp: true}, discovery.ReasonNetwork},
	} {
		s := discoverytest.New(t)
		s.Fail(discoverytest.GetFacts, c.fault)
		s.SetFacts(good)
		client, failures := updateClient(s, discovery.WithOutageTTL(0), discovery.WithStrictErrors())
		f, err := client.UpdateFacts(t.Context(), nil)
		assert.Same(t, facts.BuiltIn(), f, name)
		var failure *discovery.Failure
		require.ErrorAs(t, err, &failure, name)
		assert.Equal(t, c.reason, failure.Reason, name)
		assert.Contains(t, err.Error(), "UpdateFacts: facts: ", name)
		assert.Len(t, *failures, 1, name)
	}
}

// Released programs request this file.
func TestUpdateFactsRequestsTheFileOfTheProject(t *testing.T) {
	t.Parallel()
	served := bundleOf(t, newfacts.Files())
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		time.Sleep(time.Until(facts.BuiltIn().AsOf().AddDate(1, 0, 0))) // no date in the facts is in the future
		transport := roundTripper(func(req *http.Request) (*http.Response, error) {
			assert.Equal(t, "https://raw.githubusercontent.com/mesh-gateway/mesh-go/facts/facts-1.txt", req.URL.String())
			requests++
			return responseOf(http.StatusOK, served), nil
		})
		c := newClient(discovery.WithHTTPClient(&http.Client{Transport: transport}), discovery.WithLogger(slog.New(slog.DiscardHandler)))
		for range 3 {
			_, err := c.UpdateFacts(t.Context(), nil)
			require.NoError(t, err)
			time.Sleep(13 * time.Hour)
		}
		assert.Equal(t, 2, requests, "once a day")
	})
}

func responseOf(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func TestWithFacts(t *testing.T) {
	t.Parallel()
	c := newFakeServer(nil).client(t, discovery.WithFacts(factsOf(t, newfacts.Tomorrow())))
	registry, err := c.Retirements(t.Context())
	require.NoError(t, err)
	date, _ := registry.RetirementDate(models.OpenAI, "gpt-5.2")
	assert.Equal(t, "2127-06-01", date)
	list, err := c.LivePrices(t.Context(), nil)
	require.NoError(t, err)
	assert.NotEmpty(t, list.ForModel(models.OpenAI, "gpt-99"))
	_, err = discovery.New(discovery.WithFacts(nil))
	var value *discovery.ValueError
	require.ErrorAs(t, err, &value)
}
