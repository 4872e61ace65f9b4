package endpoints

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
)

// providerHosts are the official hosts of the providers. OpenAI and xAI have regional ones too. The Claude Platform on AWS is
// Anthropic's own API.
var providerHosts = map[string]string{
	"api.openai.com": "openai", "api.anthropic.com": "anthropic", "api.deepseek.com": "deepseek",
	"generativelanguage.googleapis.com": "gemini", "api.x.ai": "xai",
}

var (
	openAIHost    = lazy.Regexp(`^(?:ae|au|ca|eu|gb|in|jp|kr|sg|us)\.api\.openai\.com$`)
	xaiHost       = lazy.Regexp(`^(?:us-east-1|us-west-2|eu-west-1)\.api\.x\.ai$`)
	claudeAWSHost = lazy.Regexp(`^aws-external-anthropic\.` + awsRegion + `\.api\.aws$`)
	bedrockHost   = lazy.Regexp(`^(?:bedrock-runtime(?:-fips)?\.(` + awsRegion + `)\.(?:amazonaws\.com|api\.aws)|bedrock-mantle\.(` + awsRegion + `)\.api\.aws)$`)
	vertexHost    = lazy.Regexp(`^(?:([a-z]+(?:-[a-z]+\d+)?)-)?aiplatform\.(?:(us|eu)\.rep\.)?googleapis\.com$`)
	azureHost     = lazy.Regexp(`^[a-z0-9-]+\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$`)
)

const awsRegion = `[a-z]{2}(?:-[a-z]+)+-\d+`

// OfHost returns what is known of an official host, and reports whether it is one.
func OfHost(host string) (Endpoint, bool) {
	host = strings.ToLower(host)
	provider := providerHosts[host]
	switch {
	case host == "chatgpt.com":
		return Endpoint{Form: "openai", Provider: "openai", Subscription: true}, true
	case provider != "":
	case openAIHost().MatchString(host):
		provider = "openai"
	case xaiHost().MatchString(host):
		provider = "xai"
	case claudeAWSHost().MatchString(host):
		provider = "anthropic"
	}
	if provider != "" {
		return Endpoint{Form: provider, Provider: provider}, true
	}
	return platformOf(host)
}

func platformOf(host string) (Endpoint, bool) {
	if host == "openrouter.ai" {
		return Endpoint{Platform: OpenRouter}, true
	}
	if match := bedrockHost().FindStringSubmatch(host); match != nil {
		return Endpoint{Platform: Bedrock, Region: match[1] + match[2]}, true
	}
	if match := vertexHost().FindStringSubmatch(host); match != nil {
		e := Endpoint{Platform: Vertex, Region: match[1] + match[2]}
		if e.Region == "" {
			e.Region = "global"
		}
		return e, true
	}
	return Endpoint{Platform: Azure}, azureHost().MatchString(host)
}
