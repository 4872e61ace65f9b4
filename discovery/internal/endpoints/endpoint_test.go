package endpoints_test

import (
	"encoding/csv"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

// target is a POST to a URL and how it must be classified. body and answered are the
// models in the request and the response.
type target struct {
	url, body, answered string
	platform, region    string
	form, state         string // state is "free", "unknown", "uncounted" or ""
	stream              bool
	names               endpoints.Names
}

const (
	bedrock = "https://bedrock-runtime.us-east-1.amazonaws.com"
	mantle  = "https://bedrock-mantle.us-west-2.api.aws"
	arn     = bedrock + "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3A"
	vertex  = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5"
	azure   = "https://r.openai.azure.com/openai"
)

func state(t endpoints.Target) string {
	switch {
	case t.Free:
		return "free"
	case t.Unknown:
		return "unknown"
	case t.Uncounted != "":
		return "uncounted"
	}
	return ""
}

func names(provider, model, profile string) endpoints.Names {
	return endpoints.Names{Provider: provider, Model: model, Profile: profile}
}

var targets = []target{
	{bedrock + "/model/us.anthropic.claude-opus-5/converse", "", "", "bedrock", "us-east-1", "converse", "", false, names("anthropic", "claude-opus-5", "us")},
	{bedrock + "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream", "", "", "bedrock", "us-east-1", "converse", "", true, names("anthropic", "claude-3-haiku-20240307", "")},
	{bedrock + "/model/anthropic.claude-3-haiku-20240307-v1%253A0/invoke", "", "", "bedrock", "us-east-1", "invoke", "", false, names("anthropic", "claude-3-haiku-20240307", "")},
	{bedrock + "/model/emea.anthropic.claude-opus-5/invoke/", "", "", "bedrock", "us-east-1", "invoke", "", false, names("anthropic", "claude-opus-5", "emea")},
	{bedrock + "/model/us.amazon.nova-lite-v1:0/invoke-with-response-stream", "", "", "bedrock", "us-east-1", "invoke", "", true, names("", "us.amazon.nova-lite-v1:0", "us")},
	{bedrock + "/model/meta.llama3-70b-instruct-v1:0/invoke", "", "", "bedrock", "us-east-1", "invoke", "", false, names("", "meta.llama3-70b-instruct-v1:0", "")},
	{arn + "inference-profile%2Fapac.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke", "", "", "bedrock", "us-east-1", "invoke", "", false, names("anthropic", "claude-haiku-4-5-20251001", "apac")},
	{arn + "inference-profile/us.anthropic.claude-opus-5/converse", "", "", "bedrock", "us-east-1", "converse", "", false, names("anthropic", "claude-opus-5", "us")},
	{bedrock + "/model/arn:aws:bedrock:us-east-1::foundation-model%2Fanthropic.claude-opus-5/converse", "", "", "bedrock", "us-east-1", "converse", "", false, names("anthropic", "claude-opus-5", "")},
	{arn + "application-inference-profile%2Fabc/converse", "", "", "bedrock", "us-east-1", "converse", "", false, names("", "", "application-inference-profile")},
	{arn + "application-inference-profile%2Fabc/invoke", "", "claude-opus-5", "bedrock", "us-east-1", "invoke", "", false, names("anthropic", "claude-opus-5", "application-inference-profile")},
	{arn + "imported-model%2Fabc/invoke", "", "", "bedrock", "us-east-1", "invoke", "", false, names("", "", "imported-model")},
	{bedrock + "/model/anthropic.claude-opus-5/count-tokens", "", "", "bedrock", "us-east-1", "", "free", false, names("anthropic", "claude-opus-5", "")},
	{bedrock + "/guardrail/g/version/1/apply", "", "", "bedrock", "us-east-1", "openai", "uncounted", false, names("", "", "")},
	{bedrock + "/openai/v1/chat/completions", "openai.gpt-oss-20b-1:0", "", "bedrock", "us-east-1", "openai", "", false, names("openai", "openai.gpt-oss-20b-1:0", "")},
	{"https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/model/us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0/converse", "", "", "bedrock", "us-gov-west-1", "converse", "", false, names("anthropic", "claude-sonnet-4-5-20250929", "us-gov")},
	{mantle + "/anthropic/v1/messages", "anthropic.claude-haiku-4-5", "", "bedrock", "us-west-2", "anthropic", "", false, names("anthropic", "claude-haiku-4-5", "")},
	{mantle + "/anthropic/v1/messages/count_tokens", "anthropic.claude-haiku-4-5", "", "bedrock", "us-west-2", "anthropic", "free", false, names("anthropic", "claude-haiku-4-5", "")},
	{mantle + "/openai/v1/responses", "openai.gpt-oss-20b", "openai.gpt-oss-20b", "bedrock", "us-west-2", "openai", "", false, names("openai", "openai.gpt-oss-20b", "")},
	{"https://aws-external-anthropic.us-west-2.api.aws/v1/messages", "claude-opus-5", "", "", "", "anthropic", "", false, names("anthropic", "claude-opus-5", "")},
	{vertex + "/publishers/google/models/gemini-2.5-pro:generateContent", "", "", "vertex", "us-east5", "gemini", "", false, names("gemini", "gemini-2.5-pro", "")},
	{vertex + "/publishers/anthropic/models/claude-3-7-sonnet@20250219:streamRawPredict", "", "", "vertex", "us-east5", "anthropic", "", true, names("anthropic", "claude-3-7-sonnet-20250219", "")},
	{vertex + "/publishers/anthropic/models/count-tokens:rawPredict", "claude-opus-5", "", "vertex", "us-east5", "anthropic", "free", false, names("anthropic", "count-tokens", "")},
	{vertex + "/publishers/google/models/gemini-2.5-pro:countTokens", "", "", "vertex", "us-east5", "gemini", "free", false, names("gemini", "gemini-2.5-pro", "")},
	{vertex + "/publishers/google/models/imagen-4:predictLongRunning", "", "", "vertex", "us-east5", "gemini", "uncounted", false, names("", "imagen-4", "")},
	{vertex + "/endpoints/openapi/chat/completions", "google/gemini-2.5-pro", "", "vertex", "us-east5", "openai", "", false, names("gemini", "google/gemini-2.5-pro", "")},
	{vertex + "/endpoints/123:generateContent", "", "gemini-2.5-pro", "vertex", "us-east5", "gemini", "", false, names("gemini", "gemini-2.5-pro", "")},
	{vertex + "/batchPredictionJobs", "", "", "vertex", "us-east5", "gemini", "uncounted", false, names("", "", "")},
	{vertex + "/datasets", "", "", "vertex", "us-east5", "openai", "unknown", false, names("", "", "")},
	{"https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent?key=k", "", "", "vertex", "global", "gemini", "", false, names("gemini", "gemini-2.5-pro", "")},
	{"https://aiplatform.us.rep.googleapis.com/v1/publishers/anthropic/models/claude-opus-5:rawPredict", "", "", "vertex", "us", "anthropic", "", false, names("anthropic", "claude-opus-5", "")},
	{azure + "/deployments/my-deployment/chat/completions?api-version=1", "gpt-4o", "gpt-4o-2024-08-06", "azure", "", "openai", "", false, names("openai", "gpt-4o-2024-08-06", "")},
	{azure + "/deployments/my-deployment/images/generations", "", "", "azure", "", "openai", "", false, names("", "my-deployment", "")},
	{azure + "/v1/responses", "my-deployment", "grok-4.3", "azure", "", "openai", "", false, names("xai", "grok-4.3", "")},
	{"https://r.services.ai.azure.com/anthropic/v1/messages", "my-claude", "", "azure", "", "anthropic", "", false, names("anthropic", "my-claude", "")},
	{"https://r.services.ai.azure.com/models/chat/completions", "Llama-4", "", "azure", "", "openai", "", false, names("", "Llama-4", "")},
	{"https://r.cognitiveservices.azure.com/vision/v3.2/analyze", "", "", "azure", "", "openai", "unknown", false, names("", "", "")},
	{"https://openrouter.ai/api/v1/messages", "anthropic/claude-opus-5", "", "openrouter", "", "anthropic", "", false, names("anthropic", "anthropic/claude-opus-5", "")},
	{"https://openrouter.ai/api/v1/chat/completions", "x-ai/grok-4", "", "openrouter", "", "openai", "", false, names("xai", "x-ai/grok-4", "")},
	{"https://openrouter.ai/api/v1/rerank", "cohere/rerank", "", "openrouter", "", "openai", "", false, names("", "cohere/rerank", "")},
	{"https://openrouter.ai/api/v1/keys", "", "", "openrouter", "", "openai", "unknown", false, names("", "", "")},
	{"https://EU.api.openai.com/v1/chat/completions", "gpt-4o", "", "", "", "openai", "", false, names("openai", "gpt-4o", "")},
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for _, want := range targets {
		t.Run(want.url, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(want.url)
			require.NoError(t, err)
			host, known := endpoints.OfHost(u.Hostname())
			require.True(t, known)
			got := host.Target("POST", u.Path)
			assert.Equal(t, want.platform, got.Platform)
			assert.Equal(t, want.region, got.Region)
			if want.form != "" && state(got) != "uncounted" {
				assert.Equal(t, want.form, got.Form)
			}
			assert.Equal(t, want.state, state(got))
			assert.Equal(t, want.stream, got.Stream)
			requested := want.body
			if got.ID != "" {
				requested = got.ID
			}
			assert.Equal(t, want.names, got.Names(requested, want.answered))
		})
	}
}

// A host with OpenAI's API may offer other APIs, too.
func TestFormsOfOtherPaths(t *testing.T) {
	t.Parallel()
	host := endpoints.Endpoint{Form: "openai", Provider: "local"}
	for path, want := range map[string][2]string{
		"/v1/chat/completions": {"openai", ""}, "/anthropic/v1/messages": {"anthropic", ""}, "/anthropic/v1/messages/count_tokens": {"anthropic", "free"},
		"/v1/threads/t/messages": {"openai", "uncounted"}, "/v1beta/models/gemini-2.5-pro:generateContent": {"gemini", ""},
		"/v1beta/models/gemini-2.5-pro:countTokens": {"gemini", "free"}, "/bedrock/model/us.amazon.nova-lite-v1:0/converse": {"converse", ""},
		"/model/anthropic.claude-opus-5/invoke": {"invoke", ""}, "/api/chat": {"ollama", ""}, "/api/show": {"openai", "free"}, "/v2/chat/": {"cohere", ""},
	} {
		target := host.Target("POST", path)
		assert.Equal(t, want, [2]string{target.Form, state(target)}, path)
		assert.Equal(t, "local", target.Names("m", "").Provider)
	}
}

func TestOtherHostsAreNotKnown(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"", "amazonaws.com", "bedrock.us-east-1.amazonaws.com", "bedrock-runtime.us-east-1.amazonaws.com.example.com", "bedrock-runtime.example.amazonaws.com",
		"xaiplatform.googleapis.com", "aiplatform.googleapis.com.example.com", "openai.azure.com", "a.b.openai.azure.com", "r.openai.azure.com.example.com",
		"www.openrouter.ai", "api.groq.com", "localhost",
	} {
		_, known := endpoints.OfHost(host)
		assert.False(t, known, host)
	}
}

// FuzzTarget passes any path, even one that the platform doesn't have.
func FuzzTarget(f *testing.F) {
	for _, t := range targets {
		u, err := url.Parse(t.url)
		require.NoError(f, err)
		f.Add(u.Hostname(), u.Path, t.body, t.answered)
	}
	f.Fuzz(func(t *testing.T, host, path, body, answered string) {
		e, _ := endpoints.OfHost(host)
		target := e.Target("POST", path)
		if target.ID == "" {
			target.ID = body
		}
		n := target.Names(target.ID, answered)
		if answered != "" && e.Platform != endpoints.Vertex {
			assert.Equal(t, answered, n.Model)
		}
	})
}

// A misspelled word would turn a free endpoint into a counted one.
func TestTableIsWellFormed(t *testing.T) {
	t.Parallel()
	file, err := os.Open("endpoints.csv")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"path", "provider", "form", "api", "reason"}, rows[0])
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		assert.NotEmpty(t, row[0])
		assert.False(t, seen[row[0]+row[1]], "duplicate %s", row[0])
		seen[row[0]+row[1]] = true
		assert.Contains(t, []string{"", "openai", "deepseek", "anthropic", "gemini", "xai", "openrouter", "bedrock"}, row[1], row[0])
		assert.Contains(t, []string{"", "openai", "anthropic", "gemini", "converse", "invoke", "cohere", "ollama"}, row[2], row[0])
		assert.Contains(t, []string{"", "free", "stored"}, row[3], row[0])
		assert.True(t, row[3] == "" || row[4] == "", "%s is free and has a reason", row[0])
	}
}
