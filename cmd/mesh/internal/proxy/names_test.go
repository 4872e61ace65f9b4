package proxy

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// Every form of host that a Meter knows is below a name of the authority. Otherwise --intercept would leave its calls uncounted.
func TestOfficialHostsCanBeCertified(t *testing.T) {
	t.Parallel()
	h := newHostNames(nil)
	for _, host := range []string{
		"api.openai.com", "eu.api.openai.com:443", "chatgpt.com", "api.anthropic.com", "api.deepseek.com", "generativelanguage.googleapis.com",
		"us-east-1.api.x.ai", "openrouter.ai", "r.openai.azure.com", "r.services.ai.azure.com", "r.cognitiveservices.azure.com",
		"bedrock-runtime.us-west-2.amazonaws.com", "bedrock-runtime-fips.us-west-2.amazonaws.com", "bedrock-runtime.eu-central-1.api.aws",
		"bedrock-runtime-fips.us-east-1.api.aws", "bedrock-mantle.us-east-1.api.aws", "aws-external-anthropic.us-west-2.api.aws",
		"aiplatform.googleapis.com", "aiplatform.eu.rep.googleapis.com", "us-east5-aiplatform.googleapis.com",
	} {
		_, known := meter.HostProvider(host)
		assert.True(t, known, host)
		assert.True(t, h.has(host), host)
	}
	for _, host := range []string{"example.com", "bedrock.us-east-1.amazonaws.com", "s3.us-east-1.api.aws", "bedrock-runtime.xx-new-1.api.aws"} {
		assert.False(t, h.has(host), host)
	}
}
