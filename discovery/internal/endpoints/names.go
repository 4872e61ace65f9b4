package endpoints

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/lazy"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
)

// Names identify a call in records and price lists.
type Names struct {
	// Provider is the provider whose list has the model, or "".
	Provider string
	// Model is the developer's name for the model, if known. It's "" if neither request
	// nor response names it.
	Model string
	// Profile is the prefix in Bedrock's id, or the ARN's kind if it isn't a model.
	Profile string
}

// Names returns a call's names. requested is the id in the path or request, and answered
// is the id in the response.
func (t *Target) Names(requested, answered string) Names {
	n := Names{Model: answered}
	if answered == "" {
		n.Model = requested
	}
	switch t.Platform {
	case Bedrock:
		n = t.bedrockNames(requested, answered)
	case Vertex:
		n.Provider, n.Model = t.vertexNames(n.Model)
	case Azure:
		n.Provider = t.azureProvider(n.Model)
	case OpenRouter:
		n.Provider = vendorOf(n.Model, "/")
	}
	if t.Provider != "" {
		n.Provider = t.Provider
	}
	return n
}

var profile = lazy.Regexp(`^([a-z]{2}|us-gov|apac|global)\.|^([a-z0-9-]+)\.anthropic\.`)

// bedrockNames reads an id such as us.anthropic.claude-opus-5, or an ARN.
func (t *Target) bedrockNames(requested, answered string) (n Names) {
	id := requested
	if strings.HasPrefix(id, "arn:") {
		before, _, _ := strings.Cut(id, "/") // a resource name may have colons
		kind, name, _ := strings.Cut(id[strings.LastIndexByte(before, ':')+1:], "/")
		if id = name; kind != "inference-profile" && kind != "foundation-model" {
			n.Profile, id = kind, ""
		}
	}
	plain := id
	if match := profile().FindStringSubmatch(id); match != nil {
		n.Profile = match[1] + match[2]
		plain = id[len(n.Profile)+1:]
	}
	n.Provider, n.Model = vendorOf(plain, "."), id
	if n.Provider == "" && (t.Form == "anthropic" || strings.HasPrefix(answered, "claude-")) {
		n.Provider = "anthropic"
	}
	switch {
	case answered != "":
		n.Model = answered
	case n.Provider == "anthropic":
		n.Model = spelled(plain)
	}
	return n
}

// spelled returns a Claude id in Anthropic's spelling.
func spelled(id string) string { return modelid.Last(modelid.Anthropic.Spellings(id)) }

// vertexNames returns a model's provider, and the provider's name for it. Google has
// models that aren't in Gemini's list.
func (t *Target) vertexNames(model string) (provider, name string) {
	switch {
	case t.Publisher == "anthropic":
		return "anthropic", spelled(model)
	case t.Publisher == "" && strings.Contains(model, "/"):
		return vendorOf(model, "/"), model
	case t.Publisher == "google" || t.Publisher == "":
		if strings.HasPrefix(model, "gemini-") {
			provider = "gemini"
		}
		return provider, model
	}
	return providerOf(t.Publisher), model
}

// azureProviders are providers with models on Azure.
var azureProviders = []string{"openai", "xai", "deepseek", "anthropic"}

func (t *Target) azureProvider(model string) string {
	if t.Form == "anthropic" {
		return "anthropic"
	}
	if p := modelid.OwnerOf(model); p != nil && slices.Contains(azureProviders, p.ID) {
		return p.ID
	}
	return ""
}

// vendorOf returns the provider named before a separator, as in anthropic/claude-opus-5,
// or "".
func vendorOf(id, separator string) string {
	vendor, _, ok := strings.Cut(id, separator)
	if !ok {
		return ""
	}
	return providerOf(vendor)
}

func providerOf(vendor string) string {
	if p := modelid.Lookup(vendor); p != nil {
		return p.ID
	}
	return ""
}

// providerHosts are the providers' official hosts. OpenAI and xAI also have regional
// hosts, and the Claude Platform on AWS is Anthropic's own API.
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

// OfHost describes an official host, or reports false for any other host.
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
