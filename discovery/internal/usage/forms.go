package usage

import (
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// The forms besides those of the five providers, which have their names.
const (
	// Converse is the form of Bedrock's Converse.
	Converse = "converse"
	// Invoke is the form of InvokeModel: that of the model's vendor, by the counts that it has.
	Invoke = "invoke"
	// Cohere and Ollama are the forms of their own APIs.
	Cohere = "cohere"
	Ollama = "ollama"
)

// Forms are the forms besides the five providers.
var Forms = []string{Converse, Invoke, Cohere, Ollama}

// cohere bills other counts than the tokens of the model.
var cohere = shape{
	required: []field{billedInput},
	optional: []field{billedOutput, cachedTokens},
	counts: func(c *counts) (Usage, error) {
		return Usage{Input: c.value[billedInput], Output: c.value[billedOutput]}, nil
	},
}

// ollama leaves a count of 0 out.
var ollama = shape{
	optional: []field{promptEval, answerEval},
	counts: func(c *counts) (Usage, error) {
		if !c.has(promptEval) && !c.has(answerEval) {
			return Usage{}, &Error{names[promptEval], "is missing"}
		}
		return Usage{Input: c.value[promptEval], Output: c.value[answerEval]}, nil
	},
}

// Vendor returns the form of an object of InvokeModel, by the counts that Anthropic and OpenAI have.
func Vendor(inputTokens, promptTokens bool) string {
	switch {
	case inputTokens:
		return "anthropic"
	case promptTokens:
		return "openai"
	}
	return Converse
}

// members returns the names of an object's members for an error, at most four; "" without any that can be shown.
func members(object []byte) string {
	const most = 4
	var d jsonread.Decoder
	d.Reset(object)
	var found []string
	_ = eachMember(&d, "usage", func(key []byte) error {
		if name := string(key); identifier(name) && len(found) < most && !slices.Contains(found, name) {
			found = append(found, name)
		}
		return d.Skip()
	})
	return strings.Join(found, ", ")
}
