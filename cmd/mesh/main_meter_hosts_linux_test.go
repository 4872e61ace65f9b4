package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// A base URL in the environment may point to a platform.
func TestMeterCountsPlatforms(t *testing.T) {
	t.Parallel()
	i, s := startInternet(t)
	const converse = "https://bedrock-runtime.us-west-2.amazonaws.com/model/us.anthropic.claude-sonnet-4-6/converse"
	azure := "OPENAI_BASE_URL=https://example-resource.openai.azure.com/openai/v1"
	for _, c := range []struct {
		env  string
		args []string
		want string
	}{
		{"OPENAI_BASE_URL=https://openrouter.ai/api/v1", []string{"--", "caller", "chat"}, `openrouter +- +z-ai/glm-5-turbo-20260315 +1 +84 +128 +109 +0 +0\.00056752`},
		{azure, []string{"--azure", "data-zone", "--", "caller", "chat"}, `azure +openai +gpt-4o +1 +20 +10 +0 +0\.000165`},
		{azure, []string{"--budget", "1", "--", "caller", "chat"}, `unpriced: 1 of openai/gpt-4o on azure: region: .*`},
		{azure, []string{"--upstream", "openai=https://example-resource.openai.azure.com/openai/v1", "--", "caller", "chat"}, `openai +gpt-4o +1 +20 +10 +0 +0\.00015`},
		{"NONE=", []string{"--intercept", "--", "caller", converse}, `bedrock +anthropic +claude-sonnet-4-6 +1 +435 +29 +0 +0\.001914`},
		{"NONE=", []string{"--intercept", "--host", "vpce-1.example.com=bedrock:us-west-2", "--", "caller", strings.Replace(converse, "bedrock-runtime.us-west-2.amazonaws", "vpce-1.example", 1)}, `bedrock +anthropic +claude-sonnet-4-6 +1 +435 +29 +0 +0\.001914`},
		{"OPENAI_BASE_URL=https://azure.example.com/openai/v1", []string{"--azure", "data-zone", "--host", "azure.example.com=azure", "--", "caller", "chat"}, `azure +openai +gpt-4o +1 +20 +10 +0 +0\.000165`},
		{"NONE=", []string{"--", "caller", converse}, `not counted: bedrock-runtime\.us-west-2\.amazonaws\.com, 1 connection, .*`},
	} {
		_, stderr, status := runMeter(t, append(i.Env(), c.env), c.args...)
		assert.Equal(t, 0, status, c.args)
		assert.Regexp(t, "(?m)^"+c.want+"$", stderr, "%s %s", c.env, c.args)
		assert.NotContains(t, stderr, "no provider's host", c.args)
	}
	assert.Len(t, s.Requests(discoverytest.CreateOpenRouterChat), 1)
	assert.Len(t, s.Requests(discoverytest.CreateAzureChat), 4)
	stdout, _, _ := runMeter(t, append(i.Env(), "AZURE_OPENAI_API_KEY=key"), "--", "caller", "env")
	assert.NotContains(t, stdout, "OPENAI_BASE_URL=", "the Azure key would go to OpenAI")
	assert.Contains(t, stdout, "ANTHROPIC_BASE_URL=http://127.0.0.1:")
	stdout, _, _ = runMeter(t, append(i.Env(), "AZURE_OPENAI_API_KEY=key", "OPENAI_BASE_URL=https://api.openai.com/v1"), "--", "caller", "env")
	assert.Contains(t, stdout, "OPENAI_BASE_URL=http://127.0.0.1:")
	stdout, _, _ = runMeter(t, append(i.Env(), "AWS_ENDPOINT_URL=https://vpce.example.com"), "--", "caller", "env")
	assert.Contains(t, stdout, "AWS_ENDPOINT_URL=https://vpce.example.com\n", "unchanged: requests are signed for their host")
	assert.NotContains(t, stdout, "AWS_ENDPOINT_URL_")
}
