package discoverytest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Test a program that calls models on platforms. In a test, use New(t) instead of Start
// and Close.
func ExampleServer_Transport() {
	s := discoverytest.Start()
	defer s.Close()
	m, err := meter.New(meter.WithRecorder(func(r calls.Record) {
		fmt.Println(r.Platform, r.Region, r.Profile, r.Provider, r.Model, r.USD)
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: m.Transport(s.Transport())}

	url := "https://bedrock-runtime.us-west-2.amazonaws.com/model/us.anthropic.claude-sonnet-4-6/converse"
	res, err := client.Post(url, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":[{"text":"Hello"}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	// Output:
	// bedrock us-west-2 us anthropic claude-sonnet-4-6 0.001914
}

const vertexModels = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/"

// Another program computed the costs from recordings.
func TestPlatformsAreMetered(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	var mu sync.Mutex
	var last calls.Record
	m, err := meter.New(
		meter.WithEndpoint(meter.Endpoint{Platform: prices.PlatformAzure, Region: "data-zone"}),
		meter.WithRecorder(func(r calls.Record) { mu.Lock(); defer mu.Unlock(); last = r }),
	)
	require.NoError(t, err)
	client := &http.Client{Transport: m.Transport(s.Transport())}
	for _, c := range []struct {
		op                                discoverytest.Operation
		url, platform, region, model, usd string
	}{
		{discoverytest.CreateOpenRouterChat, "https://openrouter.ai/api/v1/chat/completions", "openrouter", "", "z-ai/glm-5-turbo-20260315", "0.00056752"},
		{discoverytest.ConverseBedrock, "https://bedrock-runtime.eu-west-1.amazonaws.com/model/global.anthropic.claude-sonnet-4-6/converse", "bedrock", "eu-west-1", "claude-sonnet-4-6", "0.00174"},
		{discoverytest.ConverseBedrock, "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude-sonnet-4-6/converse", "bedrock", "us-east-1", "claude-sonnet-4-6", "0.001914"},
		{discoverytest.PredictVertex, vertexModels + "claude-sonnet-4-5@20250929:rawPredict", "vertex", "us-east5", "claude-sonnet-4-5-20250929", "0.0028413"},
		{discoverytest.CreateAzureChat, "https://example-resource.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21", "azure", "data-zone", "gpt-4o", "0.000165"},
		{discoverytest.CreateAzureChat, "https://example-resource.openai.azure.com/openai/v1/chat/completions", "azure", "data-zone", "gpt-4o", "0.000165"},
	} {
		res := post(t, client, c.url)
		assert.Equal(t, http.StatusOK, res, c.url)
		mu.Lock()
		assert.Equal(t, []string{c.platform, c.region, c.model, c.usd}, []string{last.Platform, last.Region, last.Model, string(last.USD)}, "%s %s", c.url, last.Unpriced)
		mu.Unlock()
		assert.NotEmpty(t, s.Requests(c.op), c.op)
	}
	assert.Equal(t, http.StatusNotFound, post(t, client, vertexModels+"claude-sonnet-4-5@20250929:streamRawPredict"))
	s.Fail(discoverytest.ConverseBedrock, discoverytest.Fault{Status: 503})
	assert.Equal(t, http.StatusServiceUnavailable, post(t, client, "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"))
}

// Equal ids are one call, in a calls file from several servers, too.
func TestResponsesHaveTheirOwnIDs(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ids := map[string]bool{}
	m, err := meter.New(meter.WithRecorder(func(r calls.Record) { mu.Lock(); defer mu.Unlock(); ids[r.ID] = true }))
	require.NoError(t, err)
	urls := []string{
		vertexModels + "claude-sonnet-4-5@20250929:rawPredict", "https://openrouter.ai/api/v1/chat/completions",
		"https://example-resource.openai.azure.com/openai/v1/chat/completions", "https://api.openai.com/v1/chat/completions",
	}
	for range 2 {
		client := &http.Client{Transport: m.Transport(discoverytest.New(t, discoverytest.WithUniqueIDs()).Transport())}
		for _, url := range urls {
			assert.Equal(t, http.StatusOK, post(t, client, url))
			assert.Equal(t, http.StatusOK, post(t, client, url))
		}
	}
	mu.Lock()
	defer mu.Unlock()
	assert.Len(t, ids, 4*len(urls))
}

func post(t *testing.T, client *http.Client, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"model":"m","messages":[]}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer example-key")
	res, err := client.Do(req)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

func TestTransportKnowsOnlyOfficialHosts(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	client := &http.Client{Transport: s.Transport()}
	assert.Equal(t, http.StatusOK, post(t, client, "https://api.openai.com/v1/chat/completions"))
	assert.Equal(t, http.StatusOK, post(t, client, "https://api.x.ai/v1/chat/completions"))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://user:password@example.com/?key=secret", nil)
	require.NoError(t, err)
	res, err := s.Transport().RoundTrip(req)
	require.EqualError(t, err, "discoverytest: example.com is not a provider or platform host")
	if res != nil {
		res.Body.Close()
	}
}
