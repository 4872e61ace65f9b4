package discoverytest

import _ "embed"

// xaiModels have aliases, context_length and prices, but not in every row.
//
//go:embed xai.json
var xaiModels []byte

// xaiLanguageModels have prices; those of cached input and of long prompts are not in every row.
//
//go:embed xai_language_models.json
var xaiLanguageModels []byte
