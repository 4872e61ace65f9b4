package prices

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// The forms of bodies that are not those of a provider's own API. [ParseUsage], [ParseResponse] and [NewStream] take them, or the
// provider whose form a body has: [models.OpenAI] for OpenRouter, Groq, Mistral and other compatible hosts, [models.Anthropic] for
// Claude on Bedrock, Vertex and Azure, [models.Gemini] for Vertex.
const (
	// FormConverse is the form of Bedrock's Converse and ConverseStream.
	FormConverse models.Provider = usage.Converse
	// FormInvoke is the form of Bedrock's InvokeModel for any model: Claude's, OpenAI's, Nova's, Titan's or Llama's, by the counts that the
	// body has.
	FormInvoke models.Provider = usage.Invoke
	// FormCohere is the form of Cohere's own API. Its counts are the billed ones.
	FormCohere models.Provider = usage.Cohere
	// FormOllama is the form of Ollama's own API.
	FormOllama models.Provider = usage.Ollama
)

// formOf returns the name of a form, which is a provider in any spelling or one of the constants.
func formOf(form models.Provider) (string, error) {
	for _, own := range usage.Forms {
		if string(form) == own {
			return own, nil
		}
	}
	known, err := models.ParseProvider(string(form))
	if err == nil {
		return string(known), nil
	}
	names := make([]string, 0, len(usage.Forms)+len(models.Providers()))
	for _, p := range models.Providers() {
		names = append(names, string(p))
	}
	names = append(names, usage.Forms...)
	return "", invalid("provider", string(form), "is not one of "+strings.Join(names, ", "))
}
